import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects what nothing holds any more, as Node does when it needs memory. */
export const collectGarbage = runInNewContext('gc') as () => void;

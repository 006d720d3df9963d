/** The engine module of a crash test whose first process ends by an error of its own. */

import { closeSync, openSync } from 'node:fs';
import openEngine from './sqlite-module.mjs';

export default function openCrashingEngine(store, settings) {
  if (isFirst(`${store}.crashed`)) {
    queueMicrotask(() => {
      throw new Error('planted crash');
    });
  }
  return openEngine(store, settings);
}

function isFirst(path) {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch {
    return false;
  }
}

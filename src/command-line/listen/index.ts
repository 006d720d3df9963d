export { followHistory, replayEvent } from './follow-history.js';

export { caseNames, unmetNeed } from './rehearsal.js';
export { runRehearsal } from './run-rehearsal.js';

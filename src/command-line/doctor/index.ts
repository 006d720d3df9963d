export { runChecks } from './run-checks.js';
export { reportText } from './report.js';

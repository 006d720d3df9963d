export { examine } from './examine.js';
export { reportText } from './report.js';

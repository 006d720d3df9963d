export { runAction } from './run-action.js';

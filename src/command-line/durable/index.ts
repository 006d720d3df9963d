export { runAction } from './run-action.js';
export { withOutbox } from './reconcile-outbox.js';

export { engineChecks, type EngineCheck } from './engine-checks.js';
export { plantedFaults, plantFault, type PlantedFault } from './planted-fault.js';
export type { CheckSettings, EngineUnderTest } from './engine-harness.js';
export { crashTest, type CrashReport, type CrashTestOptions } from './crash/crash-test.js';
export { runCrashWorker, type EngineModule } from './crash/crash-worker.js';
export type { EventsReport } from './crash/judge-events.js';
export type { OrdersReport } from './crash/crash-orders.js';

export { orAborted, sleep } from "./abortable.ts";
export { FairSemaphore } from "./fair-semaphore.ts";
export { LeastRecent } from "./least-recent.ts";
export { Pool } from "./pool.ts";
export { runOnce } from "./run-once.ts";
export { type Release, Semaphore } from "./semaphore.ts";
export { type Share, SharedSlots } from "./shared-slots.ts";
export { Signal } from "./signal.ts";
export { singleFlight } from "./single-flight.ts";

export { applyRetention } from "./deletion/apply-retention.ts";
export { continueErasures } from "./deletion/continue-erasures.ts";
export { hasUnfinishedErasures } from "./deletion/erasure-store.ts";

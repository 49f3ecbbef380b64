export { countReady } from "./warm/pool-store.ts";
export { WarmPool } from "./warm/warm-pool.ts";

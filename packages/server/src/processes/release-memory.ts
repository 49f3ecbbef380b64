import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Quiet {
  /** How long a process is quiet before it gives memory back; default 10,000. */
  intervalMs?: number;
  /** The share of this time in which it may do something; default 0.01. */
  activity?: number;
}

/** So much more than after the last time is worth a collection. */
const WORTH_BYTES = 8 * 1_048_576;

/** As `--expose-gc` has it, with what memory is worth it for. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/**
 * Gives memory back to the machine while the process is quiet. Node.js itself keeps what a start or a load has taken until it needs it
 * again. The collection takes some fifty milliseconds, in a process that has had nothing to do for seconds.
 */
export function releaseMemoryWhenQuiet({ intervalMs = 10_000, activity = 0.01 }: Quiet = {}): {
  close(): void;
} {
  let last = performance.eventLoopUtilization();
  let kept = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > activity || process.memoryUsage().heapTotal < kept + WORTH_BYTES) return;
    collector()({ type: "major", execution: "sync", flavor: "last-resort" });
    kept = process.memoryUsage().heapTotal;
    last = performance.eventLoopUtilization();
  }, intervalMs).unref();
  return { close: () => clearInterval(timer) };
}

/** V8's own, which every context has while the flag is set. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  return collect;
}

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Conditions under which a process counts as quiet. */
export interface Quiet {
  /** Milliseconds for which a process must be quiet before it returns memory. Default: 10,000. */
  intervalMs?: number;
  /** Share of this time in which the process may be busy. Default: 0.01. */
  activity?: number;
}

/** Growth of the heap in bytes since the last collection that makes another one worthwhile. */
const WORTH_BYTES = 8 * 1_048_576;

/** The `gc` function of `--expose-gc`, with the options that release most memory. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/**
 * Returns memory to the operating system while the process is quiet. Node.js itself keeps the memory that a
 * start or a load has taken. The collection takes about fifty milliseconds, in a process that has been idle
 * for seconds. Returns a handle that stops it.
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

/** Returns V8's own collector, which every context has that is created while the flag is set. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  return collect;
}

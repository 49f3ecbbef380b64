type Log = (line: string) => void;

const LINES_PER_MINUTE = 100;
const MINUTE_MS = 60_000;

/** Limits the log lines that one sandbox can cause. When the limit is reached, one more line says so. */
export function rateLimitedLog(log: Log, now: () => number = () => performance.now()): Log {
  let [startedAt, count] = [now(), 0];
  return (line) => {
    if (now() - startedAt >= MINUTE_MS) [startedAt, count] = [now(), 0];
    count += 1;
    if (count <= LINES_PER_MINUTE) log(line);
    else if (count === LINES_PER_MINUTE + 1)
      log("egress: more lines of one sandbox are dropped for a minute");
  };
}

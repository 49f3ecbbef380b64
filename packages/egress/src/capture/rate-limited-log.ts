type Log = (line: string) => void;

const linesAMinute = 100;
const minute = 60_000;

/** What one sandbox makes its egress tell an operator: so many lines a minute; of more, once that there are more. */
export function limitedLog(log: Log, now: () => number = () => performance.now()): Log {
  let [began, told] = [now(), 0];
  return (line) => {
    if (now() - began >= minute) [began, told] = [now(), 0];
    told += 1;
    if (told <= linesAMinute) log(line);
    else if (told === linesAMinute + 1) log("egress: there is more of one sandbox than is told in a minute");
  };
}

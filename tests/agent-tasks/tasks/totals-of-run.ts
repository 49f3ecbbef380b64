import { findInOutput } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const CHECK = `
bad=0; N=0
while read -r RATE; do
  N=$((N + 1))
  if [ "$RATE" = none ]; then bad=$((bad + 1)); echo "not ok $N - rate $N is none, and should be $((N * 3))"
  else echo "ok $N - rate $N"; fi
done <rates.txt
echo "1..900"
echo "# failed $bad of 900"
[ "$bad" = 0 ]
`;
const BROKEN = [377, 421, 508];
const RATES = Array.from({ length: 900 }, (_, index) =>
  BROKEN.includes(index + 1) ? "none" : `${(index + 1) * 3}`,
);

/** The number of failed checks at the end of a run, and the failed ones in its middle. */
export const TOTALS_OF_RUN: Task = {
  name: "totals-of-run",
  files: { "check.sh": CHECK, "rates.txt": `${RATES.join("\n")}\n` },
  turns: [
    {
      says: "The checks of /data/totals-of-run (bash check.sh) fail. Mend rates.txt, and write how many failed at first into failed.txt.",
      reader(seen) {
        const output = seen.bash("cd /data/totals-of-run && bash check.sh");
        const failed = /^# failed (\d+) of/m.exec(output)?.[1] ?? "";
        const edits = findInOutput(seen, output, /^not ok/, "^not ok").map((line) => {
          const [, number, rate] = /^not ok (\d+) .* should be (\d+)$/.exec(line) ?? [];
          return `-e '${number}s/.*/${rate}/'`;
        });
        seen.bash(
          `echo ${failed} >failed.txt; ${edits.length > 0 ? `sed -i ${edits.join(" ")} rates.txt` : ":"}`,
        );
        return "Mended.";
      },
    },
  ],
  hidden: `[ "$(cat failed.txt)" = 3 ]; [ "$(sed -n 421p rates.txt)" = 1263 ]; not grep -q none rates.txt; bash check.sh >/dev/null`,
};

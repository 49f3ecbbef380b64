import { findInOutput } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

/** A script that prints a thousand accounts, with new balances in each run, and keeps one account's line. */
const AUDIT = `
test ! -e .audit || { echo "the audit of this year was made already" >&2; exit 1; }
for N in $(seq 1000); do echo "account $N: balance $((RANDOM * 31 + N))"; done | tee /tmp/audit
grep '^account 517:' /tmp/audit | cut -d ' ' -f 4 >.audit; rm /tmp/audit
`;

/** A line in the long output of a command that cannot be run again. */
export const MIDDLE_OF_OUTPUT: Task = {
  name: "middle-of-output",
  files: { "audit.sh": AUDIT },
  turns: [
    {
      says: "Run audit.sh in /data/middle-of-output, which runs once only, and write the balance of account 517 into balance.txt there.",
      reader(seen) {
        const output = seen.bash("cd /data/middle-of-output && bash audit.sh");
        const account = seen.told(/balance of account (\d+)/);
        const [line = ""] = findInOutput(
          seen,
          output,
          new RegExp(`^account ${account}:`),
          `^account ${account}:`,
        );
        seen.bash(`echo '${line.split(" ").at(-1)}' >balance.txt`);
        return "Written.";
      },
    },
  ],
  hidden: "cmp balance.txt .audit",
};

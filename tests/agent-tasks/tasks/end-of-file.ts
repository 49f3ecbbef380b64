import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const ENTRIES = Array.from(
  { length: 1_400 },
  (_, index) => `entry ${index + 1}: ${(index * 7_919) % 10_007} for part ${index % 31}`,
);

/** The last line of a file, which one Read does not show. */
export const END_OF_FILE: Task = {
  name: "end-of-file",
  files: { "ledger.txt": `${ENTRIES.join("\n")}\nclosing balance 48213\n` },
  turns: [
    {
      says: "Write the closing balance, which is at the end of /data/end-of-file/ledger.txt, into balance.txt beside it.",
      reader(seen) {
        const path = seen.told(/end of (\S+),/);
        const last = readAll(seen, path).at(-1) ?? "";
        const balance = /(\d+)$/.exec(last)?.[1] ?? "unknown";
        seen.call("Write", { file_path: path.replace("ledger", "balance"), content: `${balance}\n` });
        return `It is ${balance}.`;
      },
    },
  ],
  hidden: `[ "$(cat balance.txt)" = "$(tail -n 1 ledger.txt | cut -d ' ' -f 3)" ]`,
};

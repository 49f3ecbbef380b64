import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const SHORT = Array.from({ length: 2_100 }, (_, index) =>
  index === 2_049 ? "port=8443" : `k${index}=${index % 10}`,
);
const LONG = Array.from({ length: 330 }, (_, index) => `blob${index}=${"ab".repeat(450)}`);

/** A line of a file that is too large for one Read, beyond the lines that it returns. */
export const LARGE_FILE: Task = {
  name: "large-file",
  files: { "state.env": `${[...SHORT, ...LONG].join("\n")}\n` },
  turns: [
    {
      says: "Read /data/large-file/state.env until you know its port, and write that into port.txt beside it.",
      reader(seen) {
        const path = seen.told(/Read (\S+)/);
        const portOf = (lines: readonly string[]) => lines.find((line) => line.startsWith("port="));
        const port = portOf(readAll(seen, path, (lines) => portOf(lines) !== undefined)) ?? "port=none";
        seen.call("Write", {
          file_path: path.replace("state.env", "port.txt"),
          content: `${port.slice(5)}\n`,
        });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat port.txt)" = 8443 ]`,
};

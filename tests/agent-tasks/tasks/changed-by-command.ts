import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const NAMES = Array.from({ length: 40 }, (_, index) => `part-${index + 1} of the machine`);
const PATH = "/data/changed-by-command/parts.txt";

/** A file that a command changed after it was read, to be written as a whole. */
export const CHANGED_BY_COMMAND: Task = {
  name: "changed-by-command",
  files: {
    "parts.txt": `${NAMES.join("\n")}\n`,
    "number.sh": "sed -i '7d; s/^part-12 /piece-12 /' parts.txt\n",
  },
  turns: [
    {
      says: `Read ${PATH}, then run number.sh beside it, and write the file anew with "end of list" as another line.`,
      reader(seen) {
        const file_path = seen.told(/^Read (\S+),/);
        const write = (lines: readonly string[]) =>
          seen.call("Write", { file_path, content: `${lines.join("\n")}\nend of list\n` });
        const first = readAll(seen, file_path);
        seen.bash("cd /data/changed-by-command && bash number.sh");
        const text = write(first);
        if (seen.note(text, /has changed since you read it, and was not written\. Read it again/) !== null)
          write(readAll(seen, file_path));
        return "Done.";
      },
    },
  ],
  hidden: `git show HEAD:parts.txt >/tmp/wanted; (cd /tmp && sed -i '7d; s/^part-12 /piece-12 /' wanted); echo 'end of list' >>/tmp/wanted; cmp /tmp/wanted parts.txt`,
};

import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const WORDS = Array.from(
  { length: 80 },
  (_, index) => `${index + 1}. the word for today is w${(index * 7_919) % 9_973}`,
);
const PATH = "/data/unchanged-file/words.txt";

/** A file that is read in two turns. The second Read only shows that nothing changed. */
export const UNCHANGED_FILE: Task = {
  name: "unchanged-file",
  files: { "words.txt": `${WORDS.join("\n")}\n` },
  turns: [
    { says: `How many words has ${PATH}?`, reader: (seen) => `${readAll(seen, PATH).length}` },
    {
      says: `Write the word of the 44th line of ${PATH} into word.txt beside it.`,
      reader(seen) {
        const line = readAll(seen, PATH).find((one) =>
          one.startsWith(`${seen.told(/of the (\d+)th line/)}. `),
        );
        seen.call("Write", {
          file_path: PATH.replace("words", "word"),
          content: `${line?.split(" ").at(-1)}\n`,
        });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat word.txt)" = "$(sed -n 44p words.txt | cut -d ' ' -f 7)" ]`,
};

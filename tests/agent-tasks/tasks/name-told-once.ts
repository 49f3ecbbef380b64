import type { Task } from "../frame/task.ts";
import { codesOf, pages, writeCodes } from "./codes.ts";

const PAGES = 14;
const FOLDER = "/data/name-told-once";
const PROSE =
  "The department has its own words for all of this, and a long history of who may see which list and when. ";

/** A file name that occurs once, in the middle of a first message of 40,000 characters. */
export const NAME_TOLD_ONCE: Task = {
  name: "name-told-once",
  files: pages(PAGES),
  compactAt: 19_000,
  compactions: 2,
  turns: [
    {
      says: `${PROSE.repeat(190)}In the end all codes go into out-of-house-4711.lst. ${PROSE.repeat(190)}Say when you have read this.`,
      reader: () => "I have read it.",
    },
    {
      says: `Put the codes of ${FOLDER}/pages into the file that I named, in the folder above.`,
      reader(seen) {
        const file = seen.told(/all codes go into (\S+)\. /) || "codes.txt";
        writeCodes(seen, FOLDER, file, (code) => code);
        return "They are there.";
      },
    },
  ],
  hidden: `cmp out-of-house-4711.lst - <<'END'\n${codesOf(PAGES, (code) => code)}END`,
};

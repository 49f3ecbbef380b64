import type { Task } from "../frame/task.ts";
import { codesOf, pages, writeCodes } from "./codes.ts";

const PAGES = 12;
const FOLDER = "/data/second-turn";

/** A decision that the user made in the second of four turns, after compactions. */
export const SECOND_TURN: Task = {
  name: "second-turn",
  files: pages(PAGES),
  compactAt: 7_000,
  compactions: 3,
  turns: [
    {
      says: `I shall want the codes of the pages in ${FOLDER}/pages. How many pages are there?`,
      reader: (seen) => seen.bash(`ls ${FOLDER}/pages | wc -l`),
    },
    {
      says: `${"We have talked about the form of the list for long. ".repeat(20)}It is decided: each code goes between <code> and </code>. ${"Nobody shall change that any more. ".repeat(20)}`,
      reader: () => "That is noted.",
    },
    { says: "Wait until I say so.", reader: () => "I wait." },
    {
      says: "Now write the codes into list.txt, in the order of the pages.",
      reader(seen) {
        const before = seen.told(/each code goes between (\S+) and/);
        const after = seen.told(/each code goes between \S+ and (\S+)\. /);
        writeCodes(seen, FOLDER, "list.txt", (code) => `${before}${code}${after}`);
        return "The list is there.";
      },
    },
  ],
  hidden: `cmp list.txt - <<'END'\n${codesOf(PAGES, (code) => `<code>${code}</code>`)}END`,
};

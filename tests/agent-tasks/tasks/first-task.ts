import type { Task } from "../frame/task.ts";
import { codesOf, pages, writeCodes } from "./codes.ts";

const PAGES = 12;
const FOLDER = "/data/first-task";

/** The user's first request, after three compactions. */
export const FIRST_TASK: Task = {
  name: "first-task",
  files: pages(PAGES),
  compactAt: 7_000,
  compactions: 3,
  turns: [
    {
      says: "Whatever you write in this session, begin each line with the mark QX7. For now, only say that you are ready.",
      reader: () => "I am ready.",
    },
    {
      says: `Write the code of each page in ${FOLDER}/pages into codes.txt beside that folder, in the order of the pages.`,
      reader(seen) {
        const mark = seen.told(/with the mark (\w+)/);
        writeCodes(seen, FOLDER, "codes.txt", (code) => `${mark}${code}`);
        return "All are written.";
      },
    },
  ],
  hidden: `cmp codes.txt - <<'END'\n${codesOf(PAGES, (code) => `QX7${code}`)}END`,
};

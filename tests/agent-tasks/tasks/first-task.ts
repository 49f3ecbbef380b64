import type { Task } from "../frame/task.ts";
import { codeOf, pages, writeCodes } from "./codes.ts";

const PAGES = 12;
const FOLDER = "/data/first-task";

/** What the user asked for at first, after three compactions. */
export const FIRST_TASK: Task = {
  name: "first-task",
  files: pages(PAGES),
  compactAt: 7_000,
  compactions: 3,
  turns: [
    {
      says: `We work in ${FOLDER}. Whatever you write there in this session, begin each line with the mark QX7. For now, only say that you are ready.`,
      reader: () => "I am ready.",
    },
    {
      says: "Write the code of each page in pages/ into codes.txt, in the order of the pages.",
      reader(seen) {
        const mark = seen.told(/with the mark (\w+)/);
        writeCodes(seen, seen.told(/work in (\S+)\./) || FOLDER, (code) => `${mark}${code}`);
        return "All are written.";
      },
    },
  ],
  hidden: `cmp codes.txt - <<'END'\n${Array.from({ length: PAGES }, (_, index) => `QX7${codeOf(index + 1)}\n`).join("")}END`,
};

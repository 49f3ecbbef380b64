import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";
import { codesOf, pages, writeCodes } from "./codes.ts";

const PAGES = 12;
const FOLDER = "/data/read-again";
const nameOf = (code: string) => `bird-${Number(code.slice(1)) % 211}`;
const NAMES = codesOf(
  PAGES,
  (code) => `${code} is ${nameOf(code)}, as all who work here have called it for ever since`,
);

/** A file that is needed again after each compaction, which shows nothing of it. */
export const READ_AGAIN: Task = {
  name: "read-again",
  files: { ...pages(PAGES), "names.txt": NAMES },
  compactAt: 8_000,
  compactions: 3,
  turns: [
    {
      says: `Write the names of the codes in ${FOLDER}/pages into birds.txt beside it. names.txt there has the name of each code.`,
      reader(seen) {
        const lines = readAll(seen, `${FOLDER}/names.txt`);
        const names = new Map(lines.map((line) => [line.split(" ")[0] ?? "", /is (\S+),/.exec(line)?.[1]]));
        writeCodes(seen, FOLDER, "birds.txt", (code) => names.get(code) ?? "unknown");
        return "All have names.";
      },
    },
  ],
  hidden: `cmp birds.txt - <<'END'\n${codesOf(PAGES, nameOf)}END`,
};

import type { Task } from "../frame/task.ts";

const FOLDERS = ["a", "b", "c"];
const FILES = FOLDERS.flatMap((folder) =>
  Array.from({ length: 90 }, (_, index) => `${folder}/${index}.draft`),
);

/** More files than Glob names. */
export const MANY_NAMES: Task = {
  name: "many-names",
  files: Object.fromEntries([...FILES, "a/keep.txt"].map((name) => [name, "text\n"])),
  turns: [
    {
      says: "Rename each file of /data/many-names that ends in .draft, so that it ends in .final.",
      reader(seen) {
        const path = seen.told(/file of (\S+)/);
        const search = (where: string) => seen.call("Glob", { pattern: "**/*.draft", path: where });
        const all = search(path);
        const texts =
          seen.note(all, /Only the newest 200 are shown\. Use a narrower pattern or path/) === null
            ? [all]
            : seen
                .bash(`find ${path} -mindepth 1 -maxdepth 1 -type d -not -name .git`)
                .split("\n")
                .map(search);
        const names = texts
          .join("\n")
          .split("\n")
          .filter((name) => name.endsWith(".draft"));
        seen.bash(names.map((name) => `mv ${name} ${name.replace(/draft$/, "final")}`).join("\n"));
        return "Renamed.";
      },
    },
  ],
  hidden: `[ "$(ls */*.final | wc -l)" = 270 ]; [ -z "$(find . -name '*.draft')" ]; [ -e a/keep.txt ]`,
};

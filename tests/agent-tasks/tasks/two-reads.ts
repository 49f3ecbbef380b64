import { readTogether } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const goods = (kind: string, factor: number) =>
  Array.from(
    { length: 1_100 },
    (_, index) => `${kind} item ${index + 1} costs ${(index * factor) % 997} in the list of the year`,
  ).join("\n");

/** Two files that are read in one response, both longer than a result. */
export const TWO_READS: Task = {
  name: "two-reads",
  files: { "old.txt": `${goods("old", 31)}\nsum 111\n`, "new.txt": `${goods("new", 37)}\nsum 357\n` },
  turns: [
    {
      says: "In /data/two-reads, write into growth.txt by how much the sum at the end of new.txt is above that of old.txt.",
      reader(seen) {
        const folder = seen.told(/In (\S+),/);
        const sums = readTogether(seen, [`${folder}/old.txt`, `${folder}/new.txt`]).map((lines) =>
          Number(/^sum (\d+)$/.exec(lines.at(-1) ?? "")?.[1]),
        );
        const [before = Number.NaN, after = Number.NaN] = sums;
        seen.call("Write", { file_path: `${folder}/growth.txt`, content: `${after - before}\n` });
        return "It is there.";
      },
    },
  ],
  hidden: `[ "$(cat growth.txt)" = 246 ]`,
};

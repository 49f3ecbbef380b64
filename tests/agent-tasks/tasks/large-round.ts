import { readTogether } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const FOLDER = "/data/large-round";
const NAMES = ["hull", "mast", "sail"];
const part = (name: string, weight: number) =>
  Array.from({ length: 300 }, (_, index) =>
    index === 150
      ? `weight of the ${name}: ${weight}`
      : `${name}, sheet ${index + 1}: drawn anew for the yard in that year`,
  ).join("\n");

/**
 * Results of one response that together exceed what the agent wants to carry, and what a compaction keeps.
 */
export const LARGE_ROUND: Task = {
  name: "large-round",
  files: Object.fromEntries(
    NAMES.map((name, index) => [`${name}.txt`, `${part(name, 1_200 + index * 77)}\n`]),
  ),
  compactAt: 7_000,
  compactions: 1,
  turns: [
    {
      says: `Write the sum of the weights of ${NAMES.join(", ")} (each in a file of ${FOLDER}) into sum.txt there.`,
      reader(seen) {
        const names = seen.told(/weights of (.*) \(each/).split(", ");
        const weights = readTogether(
          seen,
          names.map((name) => `${FOLDER}/${name}.txt`),
        ).map((lines) => Number(lines.find((line) => line.startsWith("weight"))?.split(": ")[1]));
        const sum = weights.reduce((all, weight) => all + weight, 0);
        seen.call("Write", { file_path: `${FOLDER}/sum.txt`, content: `${sum}\n` });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat sum.txt)" = 3831 ]`,
};

import { readTogether } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const FOLDER = "/data/idle-summary";
const REPORTS = Array.from({ length: 9 }, (_, index) => `reports/${index + 1}.txt`);
const report = (name: string, place: number) =>
  `${Array.from({ length: 240 }, (_, line) => `${name}, line ${line + 1}: ${(place * line * 7_919) % 99_991} of what was counted in the quarter before`).join("\n")}\nbird: ${place === 6 ? "avocet" : "none"}\n`;

/**
 * The model's last message, when the user answers only after the session was summarised for their silence.
 */
export const IDLE_SUMMARY: Task = {
  name: "idle-summary",
  files: Object.fromEntries(REPORTS.map((name, place) => [name, report(name, place)])),
  compactAt: 80_000,
  compactions: 1,
  turns: [
    {
      says: `Read all of ${FOLDER}/reports and propose a name for the project: the one bird that they have.`,
      reader(seen) {
        const paths = REPORTS.map((name) => `${FOLDER}/${name}`);
        const texts = [0, 3, 6].flatMap((from) => readTogether(seen, paths.slice(from, from + 3)));
        const birds = texts.flatMap((lines) => /^bird: (\w+)$/.exec(lines.at(-1) ?? "")?.[1] ?? []);
        return `I propose the name ${birds.find((bird) => bird !== "none")}.`;
      },
    },
    {
      before: (world) => world.silence(),
      says: `Good. Write it into ${FOLDER}/name.txt.`,
      reader(seen) {
        const name = seen.said(/propose the name (\w+)/);
        seen.call("Write", { file_path: seen.told(/into (\S+)\.$/), content: `${name}\n` });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat name.txt)" = avocet ]`,
};

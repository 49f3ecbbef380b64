import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const limits = (of: (index: number) => string) =>
  `${Array.from({ length: 50 }, (_, index) => of(index + 1)).join("\n")}\n`;
const BEFORE = limits((index) => `limit ${index} = ${index * 10} requests a minute`);
const PUSHED = limits((index) => `limit of plan ${index} = ${index * 10} requests a minute`);
const FOLDER = "/data/changed-by-user";

/** A file that was read in the first turn, and that the user changed before the second. */
export const CHANGED_BY_USER: Task = {
  name: "changed-by-user",
  files: { "limits.txt": BEFORE },
  judged: "pushed",
  turns: [
    {
      says: `How many limits are in ${FOLDER}/limits.txt?`,
      reader: (seen) => `${readAll(seen, seen.told(/are in (\S+)\?/)).length}`,
    },
    {
      before: (world) => world.push({ "limits.txt": PUSHED }),
      says: `I pushed a change. Pull it, double the limit of 20 in ${FOLDER}/limits.txt, and push that to main.`,
      reader(seen) {
        const number = seen.told(/limit of (\d+) in/);
        const file_path = seen.told(/ in (\S+), and push/);
        seen.bash(`cd ${FOLDER} && git pull --quiet`);
        const edit = (old_string: string) =>
          seen.call("Edit", { file_path, old_string, new_string: old_string.replace("= 200 ", "= 400 ") });
        const text = edit(`limit ${number} = ${Number(number) * 10} requests`);
        if (seen.note(text, /is not in \S+\. Read the file again/) !== null) {
          const line = readAll(seen, file_path).find((one) => new RegExp(`\\b${number} = `).test(one)) ?? "?";
          edit(line);
        }
        seen.bash(
          `git -c user.name=A -c user.email=a@example.com commit --quiet -am "Double a limit"; git push --quiet origin HEAD:main`,
        );
        return "Pushed.";
      },
    },
  ],
  hidden: `[ "$(sed -n 20p limits.txt)" = "limit of plan 20 = 400 requests a minute" ]; [ "$(grep -c 'of plan' limits.txt)" = 50 ]`,
};

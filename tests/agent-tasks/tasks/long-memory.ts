import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const RULES = Array.from({ length: 700 }, (_, index) =>
  index === 655
    ? "- branches are named after the bird of the week: dunlin"
    : `- rule ${index + 1}: what was learned in week ${index % 52} of that year`,
);

/** A line far down in a memory. */
export const LONG_MEMORY: Task = {
  name: "long-memory",
  files: { "README.md": "# A place\n" },
  memories: { "/rules.md": `${RULES.join("\n")}\n` },
  judged: "pushed",
  turns: [
    {
      says: "Push /data/long-memory as it is to a branch whose name is as rules.md of your memory wants it.",
      reader(seen) {
        const folder = /The memory store \S+ is at (\S+?)\.? /.exec(seen.system)?.[1] ?? "";
        const rule = readAll(seen, `${folder}/rules.md`).find((line) => line.includes("branches are named"));
        const branch = /: (\w+)$/.exec(rule ?? "")?.[1] ?? "unnamed";
        seen.bash(`cd ${seen.told(/Push (\S+)/)} && git push --quiet origin HEAD:${branch}`);
        return `It is on ${branch}.`;
      },
    },
  ],
  hidden: "git rev-parse --verify --quiet origin/dunlin",
};

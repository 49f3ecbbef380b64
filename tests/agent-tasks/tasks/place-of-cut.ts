import type { Task } from "../frame/task.ts";

/**
 * A plan whose slots take 64 bytes on two lines. The head of the output ends between the two lines of slot
 * 80.
 */
const PLAN = `for N in $(seq 400); do printf 'slot %03d of the plan for the year:\\n  is for team %03d%s\\n' $N $(( N * 37 % 1000 )) ", in time"; done`;

/** Two related lines with an omission between them. */
export const PLACE_OF_CUT: Task = {
  name: "place-of-cut",
  files: { "plan.sh": PLAN },
  turns: [
    {
      says: "Run plan.sh in /data/place-of-cut, and write the teams of the slots 070 to 090 into teams.txt there, one a line.",
      reader(seen) {
        const output = seen.bash("cd /data/place-of-cut && bash plan.sh");
        const cut = seen.note(output, /^\[…\]$/m);
        const file = seen.note(output, /; the output is kept in (\S+?)(?:, .*)?\]/)?.[1];
        const [from, to] = [Number(seen.told(/slots (\d+)/)), Number(seen.told(/slots \d+ to (\d+)/))];
        const head = cut === null ? output : output.slice(0, cut.index);
        const teams = new Map(
          [...head.matchAll(/^slot (\d+) .*\n {2}is for team (\d+)/gm)].map(([, slot, team]) => [
            Number(slot),
            team,
          ]),
        );
        const slots = Array.from({ length: to - from + 1 }, (_, index) => from + index);
        const missing = slots.filter((slot) => !teams.has(slot));
        if (missing.length > 0 && file !== undefined) {
          const rest = seen.bash(`sed -n ${(missing[0] ?? 0) * 2 - 1},${to * 2}p ${file}`);
          for (const [, slot, team] of rest.matchAll(/^slot (\d+) .*\n {2}is for team (\d+)/gm))
            teams.set(Number(slot), team);
        }
        const content = slots.map((slot) => `${teams.get(slot) ?? "none"}\n`).join("");
        seen.call("Write", { file_path: "/data/place-of-cut/teams.txt", content });
        return "Written.";
      },
    },
  ],
  hidden:
    "bash plan.sh | grep -A 1 -E '^slot 0(7.|8.|90)' | grep team | sed 's/.*team //; s/, .*//' >/tmp/wanted; cmp /tmp/wanted teams.txt",
};

import type { Task } from "../frame/task.ts";

const FOLDER = "/data/killed";
const NAP = 601;

/** A script whose steps may be done only once. Its first run sleeps in the third step. */
const MIGRATE = `
for N in $(seq "\${1:-1}" 6); do
  echo "step $N" >>journal
  if [ "$N" = 3 ] && [ -e hold ]; then rm hold; sleep ${NAP}; fi
done
echo migrated
`;

/** A command that was cut off when its runner died. */
export const KILLED: Task = {
  name: "killed",
  files: { "migrate.sh": MIGRATE, hold: "" },
  alone: true,
  turns: [
    {
      says: `Run migrate.sh in ${FOLDER} to its end. It keeps a journal of its steps, none of which may be done twice; its argument is the step to begin with.`,
      during: (world) => world.killWhileItSleeps(NAP),
      reader(seen) {
        const folder = seen.told(/in (\S+) to/);
        const text = seen.bash(`cd ${folder} && bash migrate.sh`);
        if (text.startsWith("migrated")) return "Migrated.";
        const isCut =
          seen.note(text, /interrupted: the call was cut off .* Look at what it did before you repeat it/) !==
          null;
        const last = isCut ? seen.bash(`tail -n 1 ${folder}/journal`) : "step 0";
        seen.bash(`cd ${folder} && bash migrate.sh ${Number(/step (\d+)/.exec(last)?.[1]) + 1}`);
        return "Migrated.";
      },
    },
  ],
  hidden: `[ "$(tr '\\n' ' ' <journal)" = "step 1 step 2 step 3 step 4 step 5 step 6 " ]`,
};

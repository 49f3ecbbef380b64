import { searchAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const FOLDERS = ["alpha", "beta", "gamma", "delta", "omega"];
const MODULES = Object.fromEntries(
  FOLDERS.flatMap((folder) =>
    Array.from({ length: 40 }, (_, index) => [
      `${folder}/part${index}.sh`,
      `run_${folder}_${index}() {\n  old_total "$1" "the total of part ${index} of ${folder}"\n}\n`,
    ]),
  ),
);

/** A function that is used in more places than a search shows. */
export const BEYOND_GREP: Task = {
  name: "beyond-grep",
  files: { ...MODULES, "total.sh": 'old_total() {\n  echo "$1: $2"\n}\n' },
  turns: [
    {
      says: "Rename the function old_total to sum_of in all of /data/beyond-grep.",
      reader(seen) {
        const [from, to] = [seen.told(/function (\w+) to/), seen.told(/ to (\w+) in/)];
        const files = searchAll(seen, from, seen.told(/all of (\S+)\.$/));
        if (files.length > 0)
          seen.bash(`sed -i 's/${from}/${to}/g' ${files.join(" ")} /data/beyond-grep/total.sh`);
        return "Renamed.";
      },
    },
  ],
  hidden: `not grep -rq --exclude-dir=.git old_total .; for F in total.sh */*.sh; do . "./$F"; done; [ "$(run_omega_39 7)" = "7: the total of part 39 of omega" ]`,
};

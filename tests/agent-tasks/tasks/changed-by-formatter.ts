import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const CALLS = Array.from({ length: 60 }, (_, index) => `call( ${index + 1},"step" ) ;`);
const FOLDER = "/data/changed-by-formatter";

/** A file in which a formatter changed the line to be edited, after the file was read. */
export const CHANGED_BY_FORMATTER: Task = {
  name: "changed-by-formatter",
  files: {
    "main.c": `${CALLS.join("\n")}\n`,
    "format.sh": `sed -i -E 's/\\( +/(/; s/ +\\) ;/);/; s/,"/, "/' main.c\n`,
  },
  turns: [
    {
      says: `Look at ${FOLDER}/main.c, format it with format.sh, and make the call of 31 one of "stop".`,
      reader(seen) {
        const file_path = seen.told(/Look at (\S+),/);
        const [number, step] = [seen.told(/call of (\d+)/), seen.told(/one of "(\w+)"/)];
        const edit = (lines: readonly string[]) => {
          const old_string = lines.find((line) => new RegExp(`^call\\( ?${number},`).test(line)) ?? "";
          return seen.call("Edit", { file_path, old_string, new_string: old_string.replace("step", step) });
        };
        const first = readAll(seen, file_path);
        seen.bash(`cd ${FOLDER} && bash format.sh`);
        if (seen.note(edit(first), /is not in \S+\. Read the file again/) !== null)
          edit(readAll(seen, file_path));
        return "Done.";
      },
    },
  ],
  hidden: `[ "$(sed -n 31p main.c)" = 'call(31, "stop");' ]; [ "$(grep -c '"step"' main.c)" = 59 ]`,
};

import { readAll } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const SECTIONS = Array.from({ length: 300 }, (_, index) =>
  [
    `[zone ${index + 1}]`,
    "# how long one waits here, in seconds, before the next is asked",
    `label = zone number ${index + 1} of the north`,
    "retries = 3",
    "timeout = 30",
  ].join("\n"),
);

/**
 * A line that is the same in each section of a long file, to be changed in a section that one Read does not
 * show.
 */
export const EDIT_BEYOND_CUT: Task = {
  name: "edit-beyond-cut",
  files: {
    "zones.conf": `${SECTIONS.join("\n\n").replaceAll("number 288 of the north", "number 288 of the south")}\n`,
  },
  turns: [
    {
      says: "In /data/edit-beyond-cut/zones.conf, set the timeout of zone 288 to 75.",
      reader(seen) {
        const path = seen.told(/In (\S+),/);
        const [zone, timeout] = [seen.told(/of zone (\d+)/), seen.told(/to (\d+)\.$/)];
        const lines = readAll(
          seen,
          path,
          (so) => so.lastIndexOf(`[zone ${zone}]`) >= 0 && so.at(-1)?.startsWith("timeout") === true,
        );
        const from = lines.indexOf(`[zone ${zone}]`);
        const to = lines.findIndex((line, at) => at > from && line.startsWith("timeout"));
        const old_string = lines.slice(from < 0 ? to : from, to + 1).join("\n");
        const new_string = old_string.replace(/timeout = \d+$/, `timeout = ${timeout}`);
        seen.call("Edit", { file_path: path, old_string, new_string });
        return "It is set.";
      },
    },
  ],
  hidden: `[ "$(git diff --numstat | cut -f 1,2 | tr '\\t' ' ')" = "1 1" ]; [ "$(sed -n '/^.zone 288.$/,/^$/p' zones.conf | grep -c 'timeout = 75')" = 1 ]`,
};

import type { Task } from "../frame/task.ts";

const STORES = Array.from(
  { length: 400 },
  (_, index) => `{"store":"s${index}","opens":"${index % 12}:${(index * 7) % 60}"}`,
);

/** A part of a line that is too long to be shown. */
export const LONG_LINE: Task = {
  name: "long-line",
  files: { "stores.json": `{"version":2,\n"stores":[${STORES.join(",")}]}\n` },
  turns: [
    {
      says: "Write when store s311 opens, as /data/long-line/stores.json has it, into opens.txt beside that.",
      reader(seen) {
        const path = seen.told(/as (\S+) has/);
        const text = seen.call("Read", { file_path: path });
        const [, line] = seen.note(text, /Use Bash for the rest, such as sed -n (\d+)p/) ?? [];
        const whole =
          line === undefined
            ? text
            : seen.bash(
                `sed -n ${line}p ${path} | tr '}' '\\n' | grep '"${seen.told(/store (\w+) opens/)}"'`,
              );
        const opens =
          new RegExp(`"${seen.told(/store (\w+) opens/)}","opens":"([\\d:]+)"`).exec(whole)?.[1] ?? "never";
        seen.call("Write", { file_path: path.replace("stores.json", "opens.txt"), content: `${opens}\n` });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat opens.txt)" = "11:17" ]`,
};

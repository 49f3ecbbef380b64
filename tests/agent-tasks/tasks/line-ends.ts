import type { Task } from "../frame/task.ts";

const STEPS = ["unpack", "build", "check", "sign"];

/** A file with CRLF and tabs, which is edited and then written anew. */
export const LINE_ENDS: Task = {
  name: "line-ends",
  files: { "steps.mk": ["all:", ...STEPS.map((step) => `\t@echo ${step}\tdone`), ""].join("\r\n") },
  turns: [
    {
      says: "In /data/line-ends/steps.mk, add a step publish after sign, and write the file anew with the steps in reverse order. Its line ends and tabs stay.",
      reader(seen) {
        const file_path = seen.told(/In (\S+),/);
        const read = () => {
          const text = seen.call("Read", { file_path });
          return {
            text,
            lines: text.split("\n").flatMap((line) => /^\d+\t(.*)$/.exec(line)?.slice(1) ?? []),
          };
        };
        const sign = read().lines.find((line) => line.includes("sign")) ?? "";
        seen.call("Edit", {
          file_path,
          old_string: `${sign}\n`,
          new_string: `${sign}\n${sign.replace("sign", "publish")}\n`,
        });
        const { text, lines } = read();
        const [head = "", ...steps] = lines;
        const end = seen.note(text, /^\[Lines end in CR LF\.\]$/m) === null ? "\n" : "\r\n";
        const content = [head, ...steps.toReversed(), ""].join(end);
        seen.call("Write", { file_path, content });
        return "Done.";
      },
    },
  ],
  hidden: `printf '%s\\r\\n' all: > /tmp/wanted; printf '\\t@echo %s\\tdone\\r\\n' publish ${STEPS.toReversed().join(" ")} >> /tmp/wanted; cmp /tmp/wanted steps.mk`,
};

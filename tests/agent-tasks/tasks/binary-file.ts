import type { Task } from "../frame/task.ts";

/** A fact in a file that Read does not show. */
export const BINARY_FILE: Task = {
  name: "binary-file",
  files: {
    "firmware.img": `BOOT\0\0\0${"\0\u0001".repeat(3_000)}build-id=r7f31c\0${"\u0002\0".repeat(3_000)}`,
  },
  turns: [
    {
      says: "Write the build-id of /data/binary-file/firmware.img into build.txt beside it.",
      reader(seen) {
        const path = seen.told(/build-id of (\S+)/);
        const text = seen.call("Read", { file_path: path });
        const inBash = seen.note(text, /is a binary file of \d+ bytes\. Use Bash to look into it/) !== null;
        const found = inBash ? seen.bash(`grep -a -o 'build-id=[a-z0-9]*' ${path}`) : text;
        const id = /build-id=(\w+)/.exec(found)?.[1] ?? "";
        seen.call("Write", { file_path: path.replace("firmware.img", "build.txt"), content: `${id}\n` });
        return "Written.";
      },
    },
  ],
  hidden: `[ "$(cat build.txt)" = r7f31c ]`,
};

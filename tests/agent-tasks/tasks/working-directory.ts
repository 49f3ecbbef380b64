import type { Task } from "../frame/task.ts";

const ROOM = "/data/working-directory";
const NOISE = `for N in $(seq 170); do echo "line $N of what the machine prints whenever it is started"; done`;

/** The shell's working directory, which only a result before a compaction shows. */
export const WORKING_DIRECTORY: Task = {
  name: "working-directory",
  files: {
    "enter.sh": "cd rooms/$(ls rooms | sed -n 4p)",
    "noise.sh": NOISE,
    ...Object.fromEntries(
      ["ash", "birch", "cedar", "elm", "oak"].map((room) => [`rooms/${room}/sign`, "A room.\n"]),
    ),
  },
  compactAt: 3_500,
  compactions: 1,
  turns: [
    {
      says: `In ${ROOM}, source enter.sh, which takes your shell to a room.`,
      reader(seen) {
        seen.bash(`cd ${ROOM} && . ./enter.sh`);
        return "I am in the room.";
      },
    },
    {
      says: `Run noise.sh of ${ROOM}.`,
      reader(seen) {
        seen.bash(`bash ${ROOM}/noise.sh`);
        return "It is run.";
      },
    },
    {
      says: "Look at the sign of the room that your shell is in, and write a file here.txt beside it that says: here.",
      reader(seen) {
        seen.bash("cat sign");
        const folder = seen.noted(/^\[working directory (.*)\]$/m) || ROOM;
        seen.call("Write", { file_path: `${folder}/here.txt`, content: "here\n" });
        return "It is there.";
      },
    },
  ],
  hidden: `[ "$(cat rooms/elm/here.txt)" = here ]`,
};

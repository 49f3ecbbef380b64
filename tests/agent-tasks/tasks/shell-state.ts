import type { Task } from "../frame/task.ts";

const FOLDER = "/data/shell-state";
const LOG_IN = ". ./log-in.sh";

/** A shell variable and a background process, after a compaction that shows neither. */
export const SHELL_STATE: Task = {
  name: "shell-state",
  files: {
    "log-in.sh": `if [ -e .key ]; then echo revoked >.key; else export RELEASE_KEY=$RANDOM$RANDOM; echo "$RELEASE_KEY" >.key; fi`,
    "serve.sh": "while ! [ -e .asked ]; do sleep 0.05; done\ncp .asked .answered\n",
    "sign.sh":
      '[ "$RELEASE_KEY" = "$(cat .key)" ] || { echo "This key is none." >&2; exit 1; }\necho signed >.asked\nuntil [ -e .answered ]; do sleep 0.05; done\n',
    "noise.sh": `for N in $(seq 170); do echo "line $N of what the machine prints whenever it is started"; done`,
  },
  compactAt: 3_500,
  compactions: 1,
  turns: [
    {
      says: `In ${FOLDER}, source log-in.sh, once only, and start serve.sh in the background.`,
      reader(seen) {
        seen.bash(`cd ${FOLDER} && ${LOG_IN}`);
        seen.bash("bash serve.sh >/dev/null 2>&1 &");
        return "It serves.";
      },
    },
    {
      says: "Run noise.sh there.",
      reader(seen) {
        seen.bash("bash noise.sh");
        return "It is run.";
      },
    },
    {
      says: "Run sign.sh with the key of the login. If you never logged in, do it now.",
      reader(seen) {
        const loggedIn =
          seen.remembers("Bash", { command: `cd ${FOLDER} && ${LOG_IN}` }) ||
          seen.look("Bash", { command: '[ -n "$RELEASE_KEY" ] && jobs' }).includes("serve.sh");
        seen.bash(loggedIn ? "bash sign.sh" : `cd ${FOLDER} && ${LOG_IN} && timeout 5 bash sign.sh`);
        return "Signed.";
      },
    },
  ],
  hidden: `[ "$(cat .answered)" = signed ]; not grep -q revoked .key`,
};

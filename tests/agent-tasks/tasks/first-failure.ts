import { findInOutput } from "../frame/follow.ts";
import type { Task } from "../frame/task.ts";

const CHECK = `
. ./settings.sh
if [ -n "$REGION" ]; then echo "ok, all 60 checks"; exit 0; fi
echo "not ok 1 - the settings are complete"
for N in $(seq 150); do echo "  line $N of the settings that were expected and of those that were found"; done
echo "  cause: REGION is not set in settings.sh"
for N in $(seq 2 60); do
  echo "not ok $N - service $N starts"
  for M in $(seq 3); do echo "  frame $M of service $N, in a library that has nothing to do with it"; done
  echo "  cause: SERVICE_$N is not set in settings.sh"
done
echo "# failed 60 of 60"
exit 1
`;

/** The cause of the first of many failures, which the head of the output omits. */
export const FIRST_FAILURE: Task = {
  name: "first-failure",
  files: { "check.sh": CHECK, "settings.sh": "COLOUR=blue\n" },
  turns: [
    {
      says: "check.sh in /data/first-failure fails; the other failures come from the first. Set what the first one lacks in settings.sh to north.",
      reader(seen) {
        const folder = seen.told(/in (\S+) fails/);
        const output = seen.bash(`cd ${folder} && bash check.sh`);
        const [cause = ""] = findInOutput(seen, output, /^ {2}cause: /, "^  cause: ");
        const [, name = "NOTHING", file = "settings.sh"] =
          /cause: (\w+) is not set in (\S+)/.exec(cause) ?? [];
        seen.bash(`echo ${name}=north >>${file}`);
        return "It is set.";
      },
    },
  ],
  hidden: `bash check.sh; [ "$(wc -l <settings.sh)" = 2 ]`,
};

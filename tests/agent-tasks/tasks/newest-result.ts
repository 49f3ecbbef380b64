import type { Task } from "../frame/task.ts";

/** A script that draws a number once, in a long output, and keeps it in an untracked file. */
const DRAW = `
test ! -e .drawn || { echo "The number was drawn already." >&2; exit 1; }
for N in $(seq 160); do echo "barrel $N turns, and the balls in it are mixed once more by hand"; done
echo $RANDOM$RANDOM >.drawn
echo "the number is $(cat .drawn)"
`;
const FOLDER = "/data/newest-result";

/** A result that cannot be reproduced, followed directly by a compaction. */
export const NEWEST_RESULT: Task = {
  name: "newest-result",
  files: { "draw.sh": DRAW },
  compactAt: 3_500,
  compactions: 1,
  turns: [
    {
      says: `Run draw.sh in ${FOLDER}, which draws a number once only, and write that number into number.txt there.`,
      reader(seen) {
        seen.bash(`ls ${FOLDER}`);
        seen.bash(`cat ${FOLDER}/draw.sh`);
        const output = seen.bash(`cd ${FOLDER} && bash draw.sh`);
        const number = /^the number is (\d+)$/m.exec(output)?.[1] ?? "unknown";
        seen.call("Write", { file_path: `${FOLDER}/number.txt`, content: `${number}\n` });
        return `It is ${number}.`;
      },
    },
  ],
  hidden: "cmp number.txt .drawn",
};

const CHANGED =
  /^\(As in your Read of these lines above, except for its lines? (\d+)(?: to (\d+))?, which (?:is|are) now:\)$/;
const MOVED = /^\(Its line (\d+) is line (\d+) now, and so on\.\)$/;

/** Whether a Read result has only the lines that changed since an earlier one. */
export function isChangedLines(text: string): boolean {
  return CHANGED.test(text.split("\n")[0] ?? "");
}

/** Returns the result `before` with the changed lines in `told` applied. */
export function withChangedLines(before: string, told: string): string {
  const [head = "", ...now] = told.split("\n");
  const [, first = "", last = first] = CHANGED.exec(head) ?? [];
  const moved = MOVED.exec(now.at(-1) ?? "");
  if (moved !== null) now.pop();
  const shift = moved === null ? 0 : Number(moved[2]) - Number(moved[1]);
  const had = before.split("\n").flatMap((line) => {
    const [, number, content] = /^(\d+)\t(.*)$/.exec(line) ?? [];
    return number === undefined ? [] : [{ number: Number(number), content }];
  });
  const lines = (some: typeof had, by: number) =>
    some.map(({ number, content }) => `${number + by}\t${content}`);
  return [
    ...lines(
      had.filter(({ number }) => number < Number(first)),
      0,
    ),
    ...now,
    ...lines(
      had.filter(({ number }) => number > Number(last)),
      shift,
    ),
  ].join("\n");
}

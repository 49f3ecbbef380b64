import type { Script } from "./script.ts";
import type { Call, Step } from "./translate.ts";

/** The fewest steps that are worth a question. */
const LEAST = 2;

/**
 * Returns the script with searching steps as questions: each run of steps that search, or read a file that
 * the script never edits. The agent itself reads the files that it edits.
 */
export function exploring(script: Script): Script {
  const edited = new Set(
    script.turns
      .flatMap(({ steps }) => steps.flat())
      .flatMap((call) => (call.do === "edit" ? [call.path] : [])),
  );
  const looks = (step: Step) =>
    step.every((call) => call.do === "search" || (call.do === "read" && !edited.has(call.path)));
  return {
    ...script,
    turns: script.turns.map(({ message, steps }) => ({ message, steps: asked(steps, looks) })),
  };
}

function asked(steps: readonly Step[], looks: (step: Step) => boolean): Step[] {
  const all: Step[] = [];
  for (let from = 0; from < steps.length; ) {
    let end = from;
    for (let step = steps[end]; step !== undefined && looks(step); step = steps[end]) end += 1;
    if (end - from >= LEAST) all.push([{ do: "ask", steps: steps.slice(from, end) }]);
    else all.push(...steps.slice(from, end));
    all.push(...steps.slice(end, end + 1));
    from = end + 1;
  }
  return all;
}

/** Returns the text of a loop that took these steps: two lines of each file, ten places of each search. */
export function answerTo(steps: readonly Step[]): string {
  return steps
    .flat()
    .map((call: Call) => {
      if (call.do === "read")
        return `- ${call.path}:12-31: \`export const retries = 3;\` and \`export const limit = 250;\`, in the style of the others.`;
      return Array.from(
        { length: 10 },
        (_, place) => `- src/billing/part-${place}/module-${place * 37}.ts:${place * 7 + 3}: uses it.`,
      ).join("\n");
    })
    .join("\n");
}

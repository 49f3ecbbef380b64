import type { ModelMessage } from "../../model.ts";
import { summaryInstruction } from "../../notes.ts";
import { disappointment, previousResult, remainingAnswers } from "./present-step.ts";
import { formatResume, type Step } from "./steps.ts";

/**
 * The answer to a request for a summary, which keeps the steps that are left; null when the messages do not end with
 * such a request. What the next answer expects of the previous result is checked now, since the result will be gone.
 */
export function summarised(messages: readonly ModelMessage[]): string | null {
  const history = withoutInstruction(messages);
  if (history === null) return null;
  const [next = [], ...later] = remainingAnswers(history) ?? [];
  const stop = disappointment(next, previousResult(history));
  const left: Step[] = stop === null ? [...next.map(withoutExpectation), ...later.flat()] : [{ say: stop }];
  return remainingAnswers(history) === null
    ? "## Next\nNo steps were given."
    : `## Next\n${left.length} steps are left.\n\n${formatResume(left)}`;
}

function withoutInstruction(messages: readonly ModelMessage[]): readonly ModelMessage[] | null {
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== "user" || end === undefined || !("text" in end) || end.text !== summaryInstruction)
    return null;
  const before = messages.slice(0, -1);
  return last.content.length === 1
    ? before
    : [...before, { role: "user", content: last.content.slice(0, -1) }];
}

function withoutExpectation(step: Step): Step {
  if (!("expect" in step)) return step;
  const { expect: _, ...rest } = step;
  return rest;
}

import { isAddition, SUMMARY_INSTRUCTION } from "../../prompts/notes.ts";
import type { ModelMessage, UserBlock } from "../model.ts";
import { formatResume, parseResume, parseSteps, type Step } from "./steps.ts";

/** What one answer is made of: what is said, waited for and failed at, up to a step that calls tools. */
export type ResponseSteps = readonly Step[];

/** The answers that are still to be given, or null when the newest message gives no steps. */
export function remainingResponses(messages: readonly ModelMessage[]): ResponseSteps[] | null {
  const index = messages.findLastIndex((message) => message.role === "user");
  const message = messages[index];
  if (message?.role !== "user") return null;
  const steps = newestSteps(ownTexts(message.content));
  if (steps === null) return null;
  const given = messages.slice(index).filter((later) => later.role === "assistant").length;
  return responsesOf(steps).slice(given);
}

/** Steps that a summary kept win over the message behind it, which is the one they were left over from. */
function newestSteps(texts: readonly string[]): Step[] | null {
  const kept = texts.length === 2 ? parseResume(texts[0] ?? "") : null;
  return kept ?? parseSteps(texts.at(-1) ?? "");
}

/** What the user wrote, without what came with it. */
function ownTexts(blocks: readonly UserBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === "text" && !isAddition(block.text) ? [block.text] : []));
}

function responsesOf(steps: readonly Step[]): ResponseSteps[] {
  const answers: Step[][] = [[]];
  for (const step of steps) {
    answers.at(-1)?.push(step);
    if ("tool" in step || "tools" in step) answers.push([]);
  }
  return answers.filter((answer) => answer.length > 0);
}

/** The text of the newest results of tools, or of what came with the newest message: images, documents, notices. */
export function previousResult(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant") return "";
  const blocks =
    last.role === "tool"
      ? last.content.flatMap((result) => result.content)
      : last.content.filter((block) => block.type !== "text" || isAddition(block.text));
  return blocks.map(shown).join("\n");
}

function shown(block: UserBlock): string {
  return block.type === "text" ? block.text : `[${block.mediaType}, ${block.data.length} characters]`;
}

/** What the answer says instead when the previous result does not contain what it expects, else null. */
export function unmetExpectation(answer: ResponseSteps, previous: string): string | null {
  for (const step of answer) {
    const expected = "expect" in step ? step.expect : undefined;
    if (expected === undefined || previous.includes(expected)) continue;
    return `Stopped: the previous result was expected to contain ${JSON.stringify(expected)}, but it was: ${previous.slice(0, 500).toWellFormed()}`;
  }
  return null;
}

/**
 * The answer to a request for a summary, which keeps the steps that are left; null when the messages do not end with
 * such a request. What the next answer expects of the previous result is checked now, since the result will be gone.
 */
export function summaryResponse(messages: readonly ModelMessage[]): string | null {
  const history = withoutInstruction(messages);
  if (history === null) return null;
  const [next = [], ...later] = remainingResponses(history) ?? [];
  const stop = unmetExpectation(next, previousResult(history));
  const left: Step[] = stop === null ? [...next.map(withoutExpectation), ...later.flat()] : [{ say: stop }];
  return remainingResponses(history) === null
    ? "## Next\nNo steps were given."
    : `## Next\n${left.length} steps are left.\n\n${formatResume(left)}`;
}

function withoutInstruction(messages: readonly ModelMessage[]): readonly ModelMessage[] | null {
  const last = messages.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== "user" || end === undefined || !("text" in end) || end.text !== SUMMARY_INSTRUCTION)
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

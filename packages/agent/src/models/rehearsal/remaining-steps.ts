import { ANSWER_NOW, isAddition, SUMMARY_INSTRUCTION } from "../../prompts/notes.ts";
import type { ModelMessage, UserBlock } from "../model.ts";
import { formatResume, parseResume, parseSteps, type Step } from "./steps.ts";

/** The steps of one response: `say`, `wait_ms` and `fail` steps, up to a step that calls tools. */
export type ResponseSteps = readonly Step[];

/** Returns the responses that are still to be given, or null when the newest message has no steps. */
export function remainingResponses(messages: readonly ModelMessage[]): ResponseSteps[] | null {
  const index = messages.findLastIndex((message) => message.role === "user" && !asksForAnswer(message));
  const message = messages[index];
  if (message?.role !== "user") return null;
  const steps = newestSteps(ownTexts(message.content));
  if (steps === null) return null;
  const given = messages.slice(index).filter((later) => later.role === "assistant").length;
  return responsesOf(steps).slice(given);
}

/** Returns whether this is the last request of an Explore loop, which continues with its question. */
function asksForAnswer({ content }: Extract<ModelMessage, { role: "user" }>): boolean {
  const [only, ...more] = content;
  return more.length === 0 && only?.type === "text" && only.text === ANSWER_NOW;
}

/** Returns the newest steps. Those in a summary take precedence over the message that they came from. */
function newestSteps(texts: readonly string[]): Step[] | null {
  const kept = texts.length === 2 ? parseResume(texts[0] ?? "") : null;
  return kept ?? parseSteps(texts.at(-1) ?? "");
}

/** Returns the texts of the user, without those that the loop added. */
function ownTexts(blocks: readonly UserBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === "text" && !isAddition(block.text) ? [block.text] : []));
}

function responsesOf(steps: readonly Step[]): ResponseSteps[] {
  const responses: Step[][] = [[]];
  for (const step of steps) {
    responses.at(-1)?.push(step);
    if ("tool" in step || "tools" in step) responses.push([]);
  }
  return responses.filter((steps) => steps.length > 0);
}

/** Returns the text of the newest tool results, or of the loop's additions to the newest message. */
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

/** Returns the text to respond with if the previous result lacks an expected text, else null. */
export function unmetExpectation(steps: ResponseSteps, previous: string): string | null {
  for (const step of steps) {
    const expected = "expect" in step ? step.expect : undefined;
    if (expected === undefined || previous.includes(expected)) continue;
    return `Stopped: the previous result was expected to contain ${JSON.stringify(expected)}, but it was: ${previous.slice(0, 500).toWellFormed()}`;
  }
  return null;
}

/**
 * Returns the response to a request for a summary, which contains the remaining steps; null when the messages
 * do not end with such a request. The next response's expectation is checked here, since the summary replaces
 * the previous result.
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

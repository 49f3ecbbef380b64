import type { AnyJson } from "../../acceptance/harness/api.ts";

/** A call of the model with its result. */
export interface MadeCall {
  name: string;
  input: unknown;
  text: string;
}

/** The visible part of a session in a request, as text. */
export interface Transcript {
  system: string;
  /** The user's messages, oldest first, including those that a compaction kept. */
  messages: readonly string[];
  /** All calls, oldest first. */
  calls: readonly MadeCall[];
  /** The calls since the newest message. */
  recent: readonly MadeCall[];
  /** Results of the last calls before a compaction, which it kept. */
  kept: readonly MadeCall[];
  /** The model's messages, oldest first, including the last one that a compaction kept. */
  answers: readonly string[];
  /** Whether the request asks for a summary. */
  isForSummary: boolean;
}

/** The text of a result with an unknown outcome, as on an overloaded machine. The call is made again. */
const STOPPED = "The sandbox stopped while this ran";
const SUMMARY_REQUEST = "[The conversation no longer fits the context window.";
const SUMMARY = "[The conversation until here was summarised";
const EARLIER = "[What the user wrote before, oldest first:]";
const FILES = "[Files that you changed until here:]";
const RESULTS = "[The newest results of your calls:]";
const ANSWER = "[Your answer to that, after which you waited for the user:]";

/**
 * Reads a request. @param body a request of Anthropic's Messages API. @param withNotes false leaves out what
 * a compaction kept.
 */
export function transcriptOf(body: AnyJson, withNotes: boolean): Transcript {
  const messages: string[] = [];
  const calls: MadeCall[] = [];
  const open = new Map<string, Pick<MadeCall, "name" | "input">>();
  const kept: MadeCall[] = [];
  const answers: string[] = [];
  let recentFrom = 0;
  let isForSummary = false;
  for (const { role, content } of body.messages) {
    const blocks = list(content);
    for (const block of blocks) {
      if (block.type === "tool_use") open.set(block.id, { name: block.name, input: block.input });
      const call = block.type === "tool_result" ? open.get(block.tool_use_id) : undefined;
      if (role === "assistant" && block.type === "text") answers.push(block.text);
      const text = textOf(block.content);
      if (call !== undefined && !text.includes(STOPPED)) calls.push({ ...call, text });
    }
    if (role !== "user") continue;
    for (const { type, text } of blocks) {
      if (type !== "text" || text.startsWith(SUMMARY) || text.startsWith(FILES)) continue;
      if (text.startsWith(SUMMARY_REQUEST)) isForSummary = true;
      else if (text.startsWith(EARLIER)) {
        if (withNotes) messages.push(text.slice(EARLIER.length).trim());
      } else if (text.startsWith(RESULTS)) {
        if (withNotes) kept.push(...keptResults(text.slice(RESULTS.length).trim()));
      } else if (text.startsWith(ANSWER)) {
        kept.length = 0;
        if (withNotes) answers.push(text.slice(ANSWER.length).trim());
      } else {
        messages.push(text);
        recentFrom = calls.length;
      }
    }
  }
  const recent = calls.slice(recentFrom);
  const system = list(body.system)
    .map(({ text }) => text)
    .join("\n");
  return { system, messages, calls, recent, kept, answers, isForSummary };
}

/**
 * Returns the results that a compaction kept, each below a line with the tool's name and input. Shortened
 * ones are useless, and left out.
 */
function keptResults(text: string): MadeCall[] {
  return text.split(/\n\n(?=(?:Bash|Read|Grep|Glob|Edit|Write) \{)/).flatMap((one) => {
    const end = one.indexOf("\n");
    const [, name = "", input = ""] = /^(\w+) (\{.*\})$/.exec(one.slice(0, end)) ?? [];
    const result = one.slice(end + 1);
    if (name === "" || /^\[… \d+ characters left out …\]$/m.test(one)) return [];
    return [{ name, input: JSON.parse(input), text: result }];
  });
}

function textOf(content: AnyJson): string {
  return list(content)
    .map(({ text }) => text ?? "")
    .join("\n");
}

function list(content: AnyJson): AnyJson[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

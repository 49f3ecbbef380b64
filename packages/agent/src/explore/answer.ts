import type { History } from "../history/history.ts";
import type { ModelMessage } from "../models/model.ts";
import { TRUNCATED_RESPONSE } from "../prompts/notes.ts";
import { failure, type ToolResult, textResult } from "../tools/tool.ts";

/**
 * Returns the text of the newest response, preceded by the responses that the output limit cut off and that
 * it continues; empty if there is none.
 */
export function answerOf({ messages }: Pick<History, "messages">): string {
  const pieces: string[] = [];
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") pieces.unshift(textOf(message));
    else if (pieces.length > 0 && !goesOn(message)) break;
  }
  return pieces.join("").trim();
}

function textOf({ content }: Extract<ModelMessage, { role: "assistant" }>): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function goesOn(message: ModelMessage): boolean {
  if (message.role !== "user") return false;
  return message.content.some((block) => block.type === "text" && block.text === TRUNCATED_RESPONSE);
}

/**
 * Makes a tool result of the answer, cut to `maxBytes` bytes of UTF-8.
 *
 * @param notes each a sentence, shown after the answer.
 */
export function answerResult(answer: string, maxBytes: number, notes: readonly string[]): ToolResult {
  if (answer === "") return failure(["Explore ended without an answer.", ...notes].join(" "));
  const bytes = Buffer.from(answer);
  if (bytes.length <= maxBytes) return withNotes(answer, notes);
  const shown = bytes
    .subarray(0, maxBytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  const cut = `The answer has ${bytes.length} bytes and is cut off here: ask for less at a time.`;
  return withNotes(shown, [cut, ...notes]);
}

function withNotes(answer: string, notes: readonly string[]): ToolResult {
  return textResult(notes.length === 0 ? answer : `${answer}\n[${notes.join(" ")}]`);
}

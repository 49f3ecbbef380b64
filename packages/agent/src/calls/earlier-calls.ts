import type { History } from "../history/history.ts";
import type { EarlierCall } from "../tools/tool.ts";

/**
 * Yields the calls of a tool whose results are in the messages, newest first, each with the first text of its
 * result as the model sees it. Calls of the same response do not see one another, because their results enter
 * with the next request.
 */
export function* earlierCalls(messages: History["messages"], tool: string): Generator<EarlierCall> {
  const texts = new Map<string, string>();
  for (const message of messages.toReversed()) {
    if (message.role === "tool") {
      for (const { id, content } of message.content) {
        const [first] = content;
        if (first?.type === "text") texts.set(id, first.text);
      }
    }
    if (message.role !== "assistant") continue;
    for (const block of message.content.toReversed()) {
      if (block.type !== "tool_call" || block.name !== tool) continue;
      const text = texts.get(block.id);
      if (text !== undefined) yield { input: block.input, text };
    }
  }
}

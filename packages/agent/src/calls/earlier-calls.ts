import type { History } from "../history/history.ts";
import type { EarlierCall } from "../tools/tool.ts";

/**
 * The calls of a tool whose results are in the messages, newest first, with the first text of each result as the model sees it now. The
 * calls of a response have their results in the messages of the next request, so none knows of another beside it.
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

import assert from "node:assert/strict";
import type { ModelMessage } from "../src/models/model.ts";

/**
 * Asserts what providers require of a history. It begins with the user. A response is followed by exactly one
 * result for each of its calls, in call order. No block or message is empty.
 */
export function assertValidMessages(messages: readonly ModelMessage[]): void {
  assert.equal(messages[0]?.role ?? "user", "user", "the first message is the user's");
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    assert.ok(message.content.length > 0, "no message is empty");
    assert.ok(message.role !== "user" || next?.role !== "user", "user messages in a row are one");
    if (message.role === "tool") assert.equal(messages[index - 1]?.role, "assistant");
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type === "text") assert.notEqual(block.text.trim(), "", "no text is blank");
    }
    const calls = message.content.filter((block) => block.type === "tool_call").map((block) => block.id);
    if (next === undefined) continue;
    const results = next.role === "tool" ? next.content.map((result) => result.id) : [];
    assert.deepEqual(results, calls, "each call has its result, in the order of the calls");
  }
}

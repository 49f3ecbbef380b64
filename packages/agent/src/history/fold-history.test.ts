import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { randomLog } from "../../test-support/random-log.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import type { ModelMessage } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import { foldHistory } from "./fold-history.ts";

/** Returns each block on a line with its role, as a provider's cache compares it. */
function lines(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify([role, block])));
}

test("history: the history of a log's prefix is a prefix of its history", () => {
  fc.assert(
    fc.property(randomLog({ compaction: false }), (entries) => {
      const whole = lines(foldHistory(entries).messages);
      for (let length = 0; length <= entries.length; length++) {
        const part = foldHistory(entries.slice(0, length));
        assert.deepEqual(lines(part.messages), whole.slice(0, lines(part.messages).length));
        assertValidMessages(part.messages);
      }
    }),
    { numRuns: 300 },
  );
});

const CHANGES = ["agent.context_compacted", "agent.content_omitted"];

test("history: with compactions and omissions, every history is valid and append-only in between", () => {
  fc.assert(
    fc.property(randomLog({ compaction: true }), (entries) => {
      let before: string[] = [];
      for (let length = 0; length <= entries.length; length++) {
        const { messages } = foldHistory(entries.slice(0, length));
        assertValidMessages(messages);
        if (CHANGES.includes(entries[length - 1]?.event.type ?? "")) before = [];
        assert.deepEqual(lines(messages).slice(0, before.length), before);
        before = lines(messages);
      }
    }),
    { numRuns: 300 },
  );
});

test("history: folding is deterministic and does not change the log", () => {
  fc.assert(
    fc.property(randomLog({ compaction: true }), (entries) => {
      const before = JSON.stringify(entries);
      const first = JSON.stringify(foldHistory(entries));
      assert.equal(JSON.stringify(foldHistory(JSON.parse(before))), first);
      assert.equal(JSON.stringify(entries), before);
    }),
    { numRuns: 200 },
  );
});

test("history: an input enters with the first request that starts after it", () => {
  const log = new MemoryLog();
  log.message("one");
  assert.deepEqual(foldHistory(log.entries).messages, []);
  const [start] = log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  assert.equal(foldHistory(log.entries).messages.length, 1);
  log.message("two");
  log.store([
    { event: { type: "agent.message", content: [{ type: "text", text: "answer to one" }] } },
    {
      event: {
        type: "span.model_request_end",
        model_request_start_id: start?.event.id ?? "",
        is_error: false,
        model_usage: null,
      },
    },
  ]);
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  const one = { type: "text", text: "one" };
  const answer = { type: "text", text: "answer to one" };
  assert.deepEqual(foldHistory(log.entries).messages, [
    { role: "user", content: [one] },
    { role: "assistant", content: [answer] },
    { role: "user", content: [{ type: "text", text: "two" }] },
  ]);
});

test("history: a reclaimed container is reported once, with the next message or tool results", () => {
  const log = new MemoryLog();
  const text = (words: string) => ({ type: "text" as const, text: words });
  const anew = text(notes.CONTAINER_RECLAIMED);
  const reclaim = () => log.store([{ event: { type: "session.container_reclaimed", reason: "inactivity" } }]);
  const request = () =>
    log.store([{ event: { type: "span.model_request_start", model: "m/m" } }])[0]?.event.id ?? "";
  const end = (model_request_start_id: string) => ({
    type: "span.model_request_end" as const,
    model_request_start_id,
    is_error: false,
    model_usage: null,
  });
  reclaim();
  reclaim();
  log.send({ type: "user.interrupt" });
  request();
  assert.deepEqual(foldHistory(log.entries).messages, [], "it asks for nothing by itself");
  log.message("one");
  const start = request();
  assert.deepEqual(foldHistory(log.entries).messages, [
    { role: "user", content: [anew, text(notes.USER_INTERRUPTED), text("one")] },
  ]);
  const [use] = log.store([
    { event: { type: "agent.tool_use", name: "Bash", input: {}, evaluated_permission: "allow" } },
    { event: end(start) },
  ]);
  const tool_use_id = use?.event.id ?? "";
  reclaim();
  log.store([
    { event: { type: "agent.tool_result", tool_use_id, content: [text("done")], is_error: false } },
  ]);
  log.message("two");
  request();
  assert.deepEqual(foldHistory(log.entries).messages.slice(2), [
    {
      role: "tool",
      content: [{ id: tool_use_id, name: "Bash", content: [text("done"), anew], isError: false }],
    },
    { role: "user", content: [text("two")] },
  ]);
});

test("history: a blank message becomes a note, and lone surrogates are replaced", () => {
  const log = new MemoryLog();
  log.message(" \n");
  log.message("a\ud800\0b");
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  assert.deepEqual(foldHistory(log.entries).messages, [
    {
      role: "user",
      content: [
        { type: "text", text: notes.BLANK_MESSAGE },
        { type: "text", text: "a\ufffd\ufffdb" },
      ],
    },
  ]);
});

test("history: an MCP server's error is reported once, before the next message", () => {
  const log = new MemoryLog();
  log.message("one");
  const message = "The MCP server 'all' could not be used: it answered with HTTP 503.";
  const retry_status = { type: "retrying" as const };
  const error = {
    type: "mcp_connection_failed_error" as const,
    message,
    retry_status,
    mcp_server_name: "all",
  };
  log.store([{ event: { type: "session.error", error } }]);
  assert.deepEqual(foldHistory(log.entries).messages, []);
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  const text = (words: string) => ({ type: "text" as const, text: words });
  const { messages } = foldHistory(log.entries);
  assert.deepEqual(messages, [{ role: "user", content: [text(notes.missingTools(message)), text("one")] }]);
});

test("history: of a lost disk that was saved, the model is told what is lost with it", () => {
  const log = new MemoryLog();
  const save = { saved_at: "2026-11-25T12:00:00.000Z", lost_calls: 3 };
  log.store([{ event: { type: "session.container_reclaimed", reason: "lost", save } }]);
  log.message("one");
  log.store([{ event: { type: "span.model_request_start", model: "m/m" } }]);
  const told = { type: "text", text: notes.containerRestored(save.saved_at, save.lost_calls) };
  assert.deepEqual(foldHistory(log.entries).messages, [
    { role: "user", content: [told, { type: "text", text: "one" }] },
  ]);
});

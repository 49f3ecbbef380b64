// Subject: a run reads a bounded part of a long log, and gets the same history as from all of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Draft, foldHistory } from "@berth/agent";
import { formatId, newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { appendInputs, readLogCopy, readRunLog } from "@berth/store/session-log";
import { testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { appendByRun, appendTakingInputs } from "./append-events.ts";

async function session(db: Queryable): Promise<Lease> {
  return await seedLease(db, await seedSession(db, await seed(db)), "own");
}

const USAGE = {
  input_tokens: 1,
  output_tokens: 1,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Appends a turn: a message and its response. If `keeps` is given, a compaction that keeps it follows. */
async function turn(db: Queryable, lease: Lease, text: string, keeps?: readonly string[]): Promise<void> {
  const content = [{ type: "text" as const, text }];
  await appendInputs(db, lease.sessionId, [{ type: "user.message", content }]);
  await appendByRun(db, lease, [{ event: { type: "session.status_running" } }]);
  const id = formatId("event", newUuid());
  const start: Draft = { id, event: { type: "span.model_request_start", model: "rehearsal/steps" } };
  await appendTakingInputs(db, lease, [start]);
  const end = {
    type: "span.model_request_end" as const,
    model_request_start_id: id,
    is_error: false,
    model_usage: USAGE,
  };
  const compaction: Draft = {
    event: { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
    memo: { text: `summary of ${text.slice(0, 10)}`, messages: [...(keeps ?? [])], files: [] },
  };
  await appendByRun(db, lease, [
    { event: { type: "agent.message", content: [{ type: "text", text: `answer to ${text.slice(0, 10)}` }] } },
    { event: end },
    ...(keeps === undefined ? [] : [compaction]),
    { event: { type: "session.status_idle", stop_reason: { type: "end_turn" } } },
  ]);
}

test("a log without a compaction is read whole", async (t) => {
  const { write, read } = await testDatabase(t);
  const lease = await session(write);
  for (const text of ["one", "two"]) await turn(write, lease, text);
  const copy = await readLogCopy(read, lease.sessionId);
  assert.deepEqual(copy.entries, await readLog(read, lease.sessionId));
  assert.equal(copy.settledSeq(), copy.entries.length);
});

test("a log with compactions is read from the last one on, and goes on as the whole log does", async (t) => {
  const { write, read } = await testDatabase(t);
  const lease = await session(write);
  const texts = ["one", "two", "three"];
  for (const [place, text] of texts.entries()) await turn(write, lease, text, texts.slice(0, place));
  await turn(write, lease, "four");
  const copy = await readLogCopy(read, lease.sessionId);
  const whole = await readLog(read, lease.sessionId);
  assert.ok(copy.entries.length < whole.length / 2, `${copy.entries.length} of ${whole.length}`);
  assert.deepEqual(copy.history(), foldHistory(whole));
  assert.equal(copy.settledSeq(), whole.length);
  await turn(write, lease, "five");
  copy.add(await readRunLog(read, lease.sessionId, copy.settledSeq()));
  assert.deepEqual(copy.history(), foldHistory(await readLog(read, lease.sessionId)));
});

test("a summary in a call's own loop is none of the session's: the log is read from before it", async (t) => {
  const { write, read } = await testDatabase(t);
  const lease = await session(write);
  await turn(write, lease, "one", []);
  await turn(write, lease, "two");
  const parent_tool_use_id = formatId("event", newUuid());
  const start = formatId("event", newUuid());
  const nested = [
    { id: start, event: { type: "span.model_request_start" as const, model: "m", parent_tool_use_id } },
    {
      event: {
        ...{ type: "agent.context_compacted" as const, input_tokens_before: 2, input_tokens_after: 1 },
        parent_tool_use_id,
      },
      memo: { text: "nested" },
    },
  ];
  await appendByRun(write, lease, nested);
  const copy = await readLogCopy(read, lease.sessionId);
  assert.deepEqual(copy.history(), foldHistory(await readLog(read, lease.sessionId)));
  assert.equal(copy.history().openParts.length, 1);
  assert.match(JSON.stringify(copy.history().messages), /answer to two/);
  assert.doesNotMatch(JSON.stringify(copy.history().messages), /nested/);
});

test("a log that is too large is read from the end of a turn on, and the model is told", async (t) => {
  const { write, read } = await testDatabase(t);
  const lease = await session(write);
  for (const letter of "abcdef") await turn(write, lease, letter.repeat(100_000));
  const copy = await readLogCopy(read, lease.sessionId, 250_000);
  const texts = copy.history().messages.map(({ content }) => JSON.stringify(content));
  assert.match(texts[0] ?? "", /too large to be shown/);
  assert.equal(texts.filter((text) => /a{100}|b{100}|c{100}|d{100}/.test(text)).length, 0);
  assert.equal(texts.filter((text) => /e{100}|f{100}/.test(text)).length, 2);
  assert.equal(copy.settledSeq(), (await readLog(read, lease.sessionId)).length);
});

test("messages that wait are not read, and replies are", async (t) => {
  const { write, read } = await testDatabase(t);
  const lease = await session(write);
  await turn(write, lease, "one");
  const content = [{ type: "text" as const, text: "two" }];
  await appendInputs(write, lease.sessionId, [{ type: "user.message", content }, { type: "user.interrupt" }]);
  const { entries } = await readLogCopy(read, lease.sessionId);
  assert.deepEqual(
    entries.filter(({ event }) => event.processed_at === null).map(({ event }) => event.type),
    ["user.interrupt"],
  );
});

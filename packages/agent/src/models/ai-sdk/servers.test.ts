import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import {
  ask,
  continued,
  exchange,
  modelErrorOf,
  type Outcome,
} from "../../../test-support/models/exchange.ts";
import { modelAt } from "../../../test-support/models/providers.ts";
import { startRawServer } from "../../../test-support/models/raw-server.ts";
import type { Expected, Play, Server } from "../../../test-support/servers/cell.ts";
import { COLUMN_NAMES, markdownTable, SERVERS } from "../../../test-support/servers/table.ts";
import type { Model } from "../model.ts";

for (const server of SERVERS) {
  describe(`model server: ${server.name}`, () => {
    for (const column of COLUMN_NAMES) {
      const cell = server.cells[column];
      if ("notKnown" in cell) continue;
      it(column, async (test) => {
        assert.ok(cell.plays.length > 0 && cell.source !== "" && cell.version !== "");
        for (const play of cell.plays) await check(test, server, play);
      });
    }
  });
}

async function check(test: TestContext, { kind }: Server, { answer, expect }: Play): Promise<void> {
  const server = await startRawServer();
  test.after(() => server.close());
  server.answer(answer, answer);
  const model = modelAt(server.baseUrl, kind);
  const outcome = await exchange(model, ask("Look."));
  if (expect.error === undefined) assert.equal(outcome.error, null);
  else checkError(outcome, expect.error);
  checkContent(outcome, expect);
  if (expect.sentBack === undefined) return;
  await sendBack(model, outcome);
  const sent = JSON.stringify(server.requests[1]?.body);
  assert.ok(sent.includes(expect.sentBack), sent);
}

function checkError(outcome: Outcome, expected: NonNullable<Expected["error"]>): void {
  const { kind, retryable, retryAfterMs, overflow, message } = modelErrorOf(outcome);
  assert.equal(kind, expected.kind, message);
  assert.deepEqual(outcome.blocks, []);
  if (expected.says !== undefined) assert.ok(message.includes(expected.says), message);
  const told = {
    retryable,
    retryAfterMs,
    limit: overflow?.limit ?? null,
    requested: overflow?.requested ?? null,
  };
  const { kind: _, says: __, ...rest } = expected;
  assert.deepEqual({ ...told, ...rest }, told);
}

function checkContent({ blocks, text, finish }: Outcome, expected: Expected): void {
  if (expected.text !== undefined) assert.equal(text, expected.text);
  if (expected.reason !== undefined) assert.equal(finish?.reason, expected.reason);
  if (expected.usage !== undefined) assert.deepEqual({ ...finish?.usage, ...expected.usage }, finish?.usage);
  if (expected.thinking !== undefined) {
    const thinking = blocks.flatMap((block) => (block.type === "thinking" ? [block.text] : []));
    assert.deepEqual(thinking, [expected.thinking]);
  }
  if (expected.calls !== undefined) {
    const calls = blocks.flatMap((block) => (block.type === "tool_call" ? [block.input] : []));
    assert.deepEqual(calls, expected.calls);
  }
}

/** Sends the next request of the session, with the response as the log stores it. */
async function sendBack(model: Model, { blocks }: Outcome): Promise<void> {
  const stored = JSON.parse(JSON.stringify(blocks)) as typeof blocks;
  await exchange(model, continued(ask("Look."), stored, "seen"));
}

it("the README of the servers shows the table", async () => {
  const readme = await readFile(new URL("../../../test-support/servers/README.md", import.meta.url), "utf8");
  assert.ok(readme.includes(markdownTable()), "write what `markdownTable()` returns into README.md");
});

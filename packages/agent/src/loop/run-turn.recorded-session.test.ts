// Subject: a session of release 0.1.0: what the model is sent stays the same bytes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox } from "../../test-support/real-sandbox.ts";
import { playTurn, recordedAgent, SETUP, TURNS } from "../../test-support/recorded-session/play.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { toolset } from "../tools/toolset.ts";

/**
 * The time of the recorded events. At a later time, the turn would come after a pause and have other cache
 * markers.
 */
const RECORDED_AT = Date.parse("2026-11-29T12:00:00.000Z");

const recorded = (name: string) =>
  readFileSync(new URL(`../../test-support/recorded-session/${name}`, import.meta.url), "utf8");
const entries = recorded("log.jsonl")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as LogEntry);

test("session of prefix version 1: its next requests, with new results, are those of the sources that made it", async () => {
  const box = await openRealSandbox();
  try {
    await box.sh(SETUP);
    await box.sandbox.run({ script: "cd app", shell: "main", timeoutMs: 60_000 });
    const [, turn] = TURNS;
    assert.ok(turn !== undefined);
    const log = new MemoryLog(() => RECORDED_AT, entries);
    const bodies = await playTurn(turn, { log, tools: toolset(recordedAgent), box });
    assert.equal(bodies.length, 2);
    for (const [index, body] of bodies.entries()) assertSameBytes(body, recorded(`request-${index + 1}.txt`));
  } finally {
    await box.close();
  }
});

function assertSameBytes(body: string, expected: string): void {
  if (body === expected) return;
  const at = [...expected].findIndex((character, index) => character !== body[index]);
  const part = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  assert.fail(`From ${at} on it is ${part(body)} instead of ${part(expected)}`);
}

// Subject: a session from before short results of tools: what the model is sent stays the same bytes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formerAgent, playTurn, SETUP, TURNS } from "../../test-support/former-session/play.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox } from "../../test-support/real-sandbox.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { toolset } from "../tools/toolset.ts";

const recorded = (name: string) =>
  readFileSync(new URL(`../../test-support/former-session/${name}`, import.meta.url), "utf8");
const entries = recorded("log.jsonl")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as LogEntry);

/** Plays the second turn on the log that the former sources wrote, in a sandbox as they left it. */
async function goOn(prefixVersion: number): Promise<string[]> {
  const box = await openRealSandbox();
  try {
    await box.sh(SETUP);
    await box.sandbox.run({ script: "cd app", shell: "main", timeoutMs: 60_000 });
    const [, turn] = TURNS;
    assert.ok(turn !== undefined);
    const log = new MemoryLog(Date.now, entries);
    const tools = toolset(formerAgent, prefixVersion);
    return await playTurn(turn, { log, tools, box, prefixVersion });
  } finally {
    await box.close();
  }
}

for (const prefixVersion of [0, 1])
  test(`session of prefix version ${prefixVersion}: its next requests, with new results, are those of the sources that made it`, async () => {
    const bodies = await goOn(prefixVersion);
    assert.equal(bodies.length, 2);
    for (const [index, body] of bodies.entries()) assertSameBytes(body, recorded(`request-${index + 1}.txt`));
  });

test("session of the newest prefix version: its history stays as it is, and its new results are short", async () => {
  const [first = "", second = ""] = await goOn(2);
  const { messages } = JSON.parse(recorded("request-1.txt"));
  assert.deepEqual(JSON.parse(first).messages, messages);
  assert.ok(second.length < recorded("request-2.txt").length);
});

function assertSameBytes(body: string, expected: string): void {
  if (body === expected) return;
  const at = [...expected].findIndex((character, index) => character !== body[index]);
  const part = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  assert.fail(`From ${at} on it is ${part(body)} instead of ${part(expected)}`);
}

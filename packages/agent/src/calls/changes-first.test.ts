// Subject: calls of one response that follow an Edit or Write begin when it has ended; all others run side by
// side.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bash, glob, grep, read } from "../../test-support/built-in-tools.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool, testTurn } from "../../test-support/turn.ts";
import { runTurn } from "../loop/run-turn.ts";
import type { Turn } from "../loop/turn.ts";
import { edit } from "../tools/edit.ts";
import { type Tool, textResult } from "../tools/tool.ts";
import { filesSeen } from "../tools/workspace-file.ts";
import { write } from "../tools/write.ts";

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

/** Returns the results of a response with these calls, in order. */
async function results(
  calls: readonly ReturnType<typeof toolCall>[],
  more: Partial<Turn>,
): Promise<string[]> {
  const log = new MemoryLog();
  log.message("go");
  const model = scriptedModel([{ blocks: [...calls] }, says("done")]);
  assert.deepEqual(await runTurn(testTurn({ log, model, ...more })), { type: "end_turn" });
  const uses = log.events.filter((event) => event.type === "agent.tool_use");
  return uses.map(({ id }) => {
    const result = log.events.find((event) => event.type === "agent.tool_result" && event.tool_use_id === id);
    const [block] = result?.type === "agent.tool_result" ? result.content : [];
    return block?.type === "text" ? block.text : assert.fail();
  });
}

test("what reads, searches or runs behind a change sees it, and what stands before it does not wait", async () => {
  const calls = [
    toolCall("Edit", { file_path: "a.txt", old_string: "old", new_string: "new" }),
    toolCall("Read", { file_path: "a.txt" }),
    toolCall("Write", { file_path: "b.txt", content: "new\n" }),
    toolCall("Edit", { file_path: "b.txt", old_string: "new", new_string: "newest" }),
    toolCall("Bash", { command: "cat a.txt b.txt" }),
    toolCall("Grep", { pattern: "old|newest" }),
    toolCall("Glob", { pattern: "*.txt" }),
  ];
  const sandbox = async () => box.sandbox;
  const tools = [bash, edit, glob, grep, read, write];
  for (const hasSandbox of [() => true, () => false]) {
    filesSeen(box.sandbox).clear();
    await box.sh("rm -f /data/*.txt; echo old >/data/a.txt");
    const [edited, now, , , printed, found] = await results(calls, { tools, sandbox, hasSandbox });
    assert.match(edited ?? "", /1 replacement/);
    assert.equal(now, "1\tnew");
    assert.equal(printed, "new\nnewest");
    assert.match(found ?? "", /b\.txt/);
    assert.doesNotMatch(found ?? "", /a\.txt/);
  }
});

/** Creates a tool for each name; a name in capitals changes files. Calls wait until the test ends them. */
function heldCalls(...names: string[]) {
  const begun: string[] = [];
  const holds = new Map<string, () => void>();
  const tools = [...new Set(names)].map((name): Tool => {
    const tool = testTool(name, async (text) => {
      begun.push(text);
      await new Promise<void>((resolve) => holds.set(text, resolve));
      return textResult(text);
    });
    return name === name.toUpperCase() ? { ...tool, changesFiles: true } : tool;
  });
  const calls = names.map((name, index) => toolCall(name, { text: `${name}${index}` }));
  return { begun, tools, calls, end: (text: string) => holds.get(text)?.() };
}

/** Waits until everything has happened that can happen without the end of a call. */
const settled = async () => {
  for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};

for (const [names, ...steps] of [
  [["a", "b", "c"], "a0 b1 c2"],
  [["a", "W", "b", "c"], "a0 W1", "W1: b2 c3"],
  [["W", "W", "a", "W", "b"], "W0", "W0: W1", "W1: a2 W3", "W3: b4"],
  [["W", ..."abcdefghijk"], "W0", "W0: a1 b2 c3 d4 e5 f6 g7 h8"],
] as const)
  test(`calls ${names.join(" ")}, of which those in capitals change files`, async () => {
    const { begun, tools, calls, end } = heldCalls(...names);
    const stop = new AbortController();
    const ended = results(calls, { tools, signal: stop.signal }).catch(() => undefined);
    for (const step of steps) {
      const [given, expected = given] = step.split(": ");
      const from = begun.length;
      if (expected !== given) end(given ?? "");
      await settled();
      assert.equal(begun.slice(from).join(" "), expected);
    }
    stop.abort();
    await ended;
  });

test("a change fails, or is not allowed: what stands behind it runs", async () => {
  const fails = { ...testTool("W", () => Promise.reject(new Error("broken"))), changesFiles: true } as const;
  const denied = { ...testTool("D"), changesFiles: true, permission: "always_deny" } as const;
  const calls = [
    toolCall("W", { text: "x" }),
    toolCall("D", { text: "x" }),
    toolCall("W", { wrong: 1 }),
    toolCall("a", { text: "ran" }),
  ];
  const [broken, , , ran] = await results(calls, { tools: [fails, denied, testTool("a")] });
  assert.match(broken ?? "", /broken/);
  assert.equal(ran, "ran");
});

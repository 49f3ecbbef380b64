// Subject: a file that only a nested loop of Explore has read does not count as read by the agent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { read } from "../../test-support/built-in-tools.ts";
import { exploringTurn } from "../../test-support/explore.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { parentCallOf } from "../history/nested-events.ts";
import { runTurn } from "../loop/run-turn.ts";
import { edit } from "../tools/edit.ts";
import { write } from "../tools/write.ts";

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

type Call = ReturnType<typeof toolCall>;
const readCall = toolCall("Read", { file_path: "/data/a.txt" });
const exploreCall = toolCall("Explore", { question: "What is in a.txt?" });

/** Returns the texts of the agent's own results in a turn whose responses make these calls. */
async function results(log: MemoryLog, ...responses: Call[][]): Promise<string[]> {
  const from = log.entries.length;
  log.message("go");
  const model = scriptedModel([...responses.map((blocks) => ({ blocks })), says("done")]);
  const exploreModel = scriptedModel([{ blocks: [readCall] }, says("found")]);
  const sandbox = async () => box.sandbox;
  const tools = [read, write, edit];
  const turn = exploringTurn({ log, model, exploreModel, searches: [read], tools, sandbox });
  assert.deepEqual(await runTurn(turn), { type: "end_turn" });
  return log.events
    .slice(from)
    .flatMap((event) => (event.type === "agent.tool_result" && parentCallOf(event) === null ? [event] : []))
    .map(({ content: [block] }) => (block?.type === "text" ? block.text : ""));
}

const CHANGES: [string, Call, RegExp][] = [
  [
    "Write",
    toolCall("Write", { file_path: "/data/a.txt", content: "mine\n" }),
    /has changed since you read it, and was not written/,
  ],
  [
    "Write by another path",
    toolCall("Write", { file_path: "./a.txt", content: "mine\n" }),
    /has changed since you read it, and was not written/,
  ],
  [
    "Edit",
    toolCall("Edit", { file_path: "/data/a.txt", old_string: "theirs", new_string: "ours" }),
    /1 replacement\. It had changed since you read it\.$/,
  ],
];
for (const [name, change, told] of CHANGES)
  test(`${name} of a file that changed since the agent read it, and that Explore has read since`, async () => {
    await box.sh("echo first >/data/a.txt");
    const log = new MemoryLog();
    await results(log, [readCall]);
    await box.sh("echo theirs >/data/a.txt");
    const [found, changed] = await results(log, [exploreCall], [change]);
    assert.equal(found, "found");
    assert.match(changed ?? "", told);
  });

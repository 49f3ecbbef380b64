// Subject: calls of Read, Grep and Glob in one response take as many round trips to the sandbox as one of
// them, with the same results.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Command, Sandbox } from "@berth/sandbox";
import fc from "fast-check";
import { bash, glob, grep, read } from "../../test-support/built-in-tools.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTurn } from "../../test-support/turn.ts";
import { runTurn } from "../loop/run-turn.ts";
import type { Turn } from "../loop/turn.ts";

const TOOLS = { Read: read, Grep: grep, Glob: glob };

type Call = readonly [name: keyof typeof TOOLS, input: Record<string, unknown>];

const CALLS: readonly Call[] = [
  ["Read", { file_path: "one" }],
  ["Read", { file_path: "/data/dir/two", offset: 2, limit: 1 }],
  ["Read", { file_path: "large", view_range: [3, 4] }],
  ["Read", { file_path: "large" }],
  ["Read", { file_path: "none" }],
  ["Read", { file_path: "dir" }],
  ["Read", { file_path: "$(touch /data/evil)" }],
  ["Read", { file_path: "binary" }],
  ["Grep", { pattern: "o" }],
  ["Grep", { pattern: "e", output_mode: "content", path: "dir" }],
  ["Grep", { pattern: "(", output_mode: "count" }],
  ["Grep", { pattern: "nothing has this", glob: "*.none" }],
  ["Glob", { pattern: "**/*" }],
  ["Glob", { pattern: "dir/t*" }],
  ["Glob", { pattern: "none/*" }],
];

let box: RealSandbox;
let known: Map<Call, string>;
before(async () => {
  box = await openRealSandbox();
  await box.sh(
    "cd /data && mkdir dir && echo one >one && printf 'a\\ntwo\\n' >dir/two && seq 100000 >large && printf 'a\\0b' >binary",
  );
  known = new Map();
  for (const call of CALLS) known.set(call, (await box.use(TOOLS[call[0]], call[1])).text);
});
after(() => box.close());

/** Wraps a sandbox and counts its round trips. */
function counted(sandbox: Sandbox, onTogether = () => {}): { sandbox: Sandbox; trips: number[] } {
  const trips: number[] = [];
  const counting = {
    run(command: Command) {
      trips.push(1);
      return sandbox.run(command);
    },
    runTogether(commands: readonly Command[]) {
      trips.push(commands.length);
      const running = sandbox.runTogether?.(commands);
      onTogether();
      return running;
    },
  };
  const proxy = new Proxy(sandbox, {
    get: (_, name) => Reflect.get(name in counting ? counting : sandbox, name),
  });
  return { sandbox: proxy, trips };
}

/** Returns the texts of one response's results, in call order, and the commands of each round trip. */
async function respond(calls: readonly Call[], more: Partial<Turn> = {}) {
  const log = new MemoryLog();
  log.message("go");
  const { sandbox, trips } = counted(box.sandbox);
  const blocks = calls.map(([name, input]) => toolCall(name, input));
  const model = scriptedModel([{ blocks }, says("done")]);
  const tools = [...Object.values(TOOLS), bash];
  const end = await runTurn(testTurn({ log, model, tools, sandbox: async () => sandbox, ...more }));
  const results = log.events.filter((event) => event.type === "agent.tool_result");
  const uses = log.events.filter((event) => event.type === "agent.tool_use");
  const texts = uses.map(({ id }) => {
    const result = results.find((one) => one.tool_use_id === id);
    return result?.content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  });
  return { end, texts, trips };
}

test("property: the results are those of single calls, begun early or not", async () => {
  const mixes = fc.array(fc.constantFrom(...CALLS), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(mixes, fc.boolean(), async (calls, isOpen) => {
      const { texts } = await respond(calls, { hasSandbox: () => isOpen });
      assert.deepEqual(
        texts,
        calls.map((call) => known.get(call)),
      );
    }),
    { numRuns: 25 },
  );
  assert.equal(await box.sh("ls /data/evil 2>/dev/null || echo none"), "none\n");
});

test("reads and greps of one response take one round trip, however many they are", async () => {
  const simple = CALLS.filter(
    ([name, input]) => name !== "Glob" && input.file_path !== "large" && !("glob" in input),
  );
  for (const calls of [simple.slice(0, 2), simple.slice(-5), [...simple].slice(0, 8)]) {
    for (const isOpen of [true, false]) {
      const { trips } = await respond(calls, { hasSandbox: () => isOpen });
      assert.deepEqual(trips, [calls.length]);
    }
  }
});

test("what a call asks for after its first command takes a round trip of its own, with that of others", async () => {
  const two: readonly Call[] = [
    ["Glob", { pattern: "**/*" }],
    ["Read", { file_path: "one" }],
    ["Read", { file_path: "large" }],
  ];
  const { trips, texts } = await respond(two);
  assert.equal(trips[0], 3);
  assert.equal(
    trips.reduce((sum, count) => sum + count),
    5,
  );
  assert.deepEqual(texts[1], known.get(CALLS[0] as Call));
});

test("an interrupt ends all of them", async () => {
  const interrupt = new AbortController();
  const { sandbox, trips } = counted(box.sandbox, () => interrupt.abort());
  const calls = CALLS.slice(0, 3);
  const { end, texts } = await respond(calls, { signal: interrupt.signal, sandbox: async () => sandbox });
  assert.deepEqual([end, trips], [{ type: "cancelled" }, [3]]);
  for (const text of texts) assert.match(text ?? "", /^Stopped|interrupt/i);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DEFAULT_TOOL_NAMES } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { testTurn } from "../../test-support/turn.ts";
import { createRehearsalModel } from "../models/rehearsal/rehearsal-model.ts";
import { toolset } from "../tools/toolset.ts";
import { runTurn } from "./run-turn.ts";

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

const tools = toolset({
  tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] }],
});

function rehearsal(...steps: unknown[]): MemoryLog {
  const log = new MemoryLog();
  log.message(JSON.stringify({ steps }));
  return log;
}

function results(log: MemoryLog): string[] {
  return log.events.flatMap((event) =>
    event.type === "agent.tool_result"
      ? event.content.map((block) => (block.type === "text" ? block.text : block.source.media_type))
      : [],
  );
}

test("turn in a sandbox: the rehearsal model uses all six tools on real files", async () => {
  const log = rehearsal(
    { tool: "Write", input: { file_path: "app/main.ts", content: "export const answer = 41;\n" } },
    {
      tool: "Edit",
      input: { file_path: "app/main.ts", old_string: "41", new_string: "42" },
      expect: "Created",
    },
    { tool: "Read", input: { file_path: "app/main.ts" }, expect: "1 replacement" },
    {
      tools: [
        { tool: "Glob", input: { pattern: "**/*.ts" } },
        { tool: "Grep", input: { pattern: "42" } },
      ],
      expect: "= 42;",
    },
    { tool: "Bash", input: { command: "cd app && wc -l <main.ts" }, expect: "/data/app/main.ts" },
    { say: "All well.", expect: "[working directory /data/app]" },
  );
  const model = createRehearsalModel();
  const end = await runTurn(testTurn({ log, model, tools, sandbox: async () => box.sandbox }));
  assert.deepEqual(end, { type: "end_turn" });
  const last = log.events.findLast((event) => event.type === "agent.message");
  assert.deepEqual(last?.content, [{ type: "text", text: "All well." }], results(log).join("\n---\n"));
});

test("interrupt: a running command ends at once, and its output so far is the result", async () => {
  const log = rehearsal({ tool: "Bash", input: { command: "echo begun; sleep 100" } }, { say: "never" });
  const stop = new AbortController();
  let stoppedAt = 0;
  const run: Sandbox["run"] = (command) =>
    box.sandbox.run({
      ...command,
      onOutput: () => {
        stoppedAt = performance.now();
        stop.abort();
      },
    });
  const sandbox = async () => ({ ...box.sandbox, run });
  const turn = testTurn({ log, model: createRehearsalModel(), tools, sandbox, signal: stop.signal });
  assert.deepEqual(await runTurn(turn), { type: "cancelled" });
  assert.ok(performance.now() - stoppedAt < 30_000, "it was waited for");
  assert.match(results(log)[0] ?? "", /^begun\n\[interrupted/);
  const left = await box.sh("pgrep -x sleep || echo none");
  assert.equal(left, "none\n");
});

test("Bash calls in one answer: side by side, each in a copy of the shell, of which the last one's stays", async () => {
  // Each command waits for another: one after the other, the first would never end.
  const meet = (own: number, other: number) =>
    `touch met.${own}; until [ -e met.${other} ]; do sleep 0.01; done; echo "$X in $PWD"`;
  const bash = (command: string) => ({ tool: "Bash", input: { command } });
  const log = rehearsal(
    bash("mkdir -p /tmp/side && cd /tmp/side && X=before"),
    {
      tools: [
        bash(`${meet(1, 2)}; cd /; X=first`),
        bash(`${meet(2, 3)}; exit 4`),
        { tool: "Bash", input: {} },
        bash(`${meet(3, 1)}; cd /var; X=last`),
      ],
    },
    bash('echo "$X in $PWD"'),
    { tools: Array.from({ length: 11 }, (_, at) => bash(`N="\${N:-}${at}"; echo $N`)) },
    bash("echo $N; cd /data"),
    { say: "Done." },
  );
  const model = createRehearsalModel();
  const turn = testTurn({ log, model, tools, sandbox: async () => box.sandbox });
  assert.deepEqual(await runTurn(turn), { type: "end_turn" });
  const note = "[This ran beside your other Bash calls, in a copy of the shell that is gone.]";
  const texts = results(log).sort();
  const here = "before in /tmp/side";
  assert.ok(texts.includes(`${here}\n${note}`), texts.join("\n---\n"));
  assert.ok(texts.includes(`${here}\n[exit code 4]\n${note}`));
  assert.ok(texts.includes(`${here}\n[working directory /var]`));
  assert.ok(texts.includes("last in /var"));
  for (let at = 0; at < 10; at++) assert.ok(texts.includes(`${at}\n${note}`), `${at}`);
  assert.ok(texts.includes("10"));
  assert.ok(texts.includes("10\n[working directory /data]"), "the last call's variable stayed");
});

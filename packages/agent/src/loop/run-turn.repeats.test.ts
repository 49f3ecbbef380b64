// Subject: results that do not repeat what the model has: which of its calls in the history they are compared
// with.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DEFAULT_TOOL_NAMES } from "@berth/contract";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTurn } from "../../test-support/turn.ts";
import type { Tool } from "../tools/tool.ts";
import { toolset } from "../tools/toolset.ts";
import { runTurn } from "./run-turn.ts";

const UNCHANGED = /^\(Unchanged since your last Read of these lines, whose result is above\.\)$/;
const WHOLE = /^1\tline 1\n[\s\S]*\n40\tline 40$/;
const tools = toolset({
  tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] }],
});

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

type Call = [tool: string, input: Record<string, unknown>];
const read = (more: object = {}): Call => ["Read", { file_path: "/data/a.txt", ...more }];
const bash = (command: string, more: object = {}): Call => ["Bash", { command, ...more }];

/** Returns the texts of a turn's results, in call order. Each response makes the calls of one list. */
async function results(log: MemoryLog, ...responses: Call[][]): Promise<string[]> {
  return await resultsWith(tools, log, ...responses);
}

async function resultsWith(
  tools: readonly Tool[],
  log: MemoryLog,
  ...responses: Call[][]
): Promise<string[]> {
  const from = log.entries.length;
  log.message("go");
  const blocks = responses.map((calls) => ({ blocks: calls.map(([name, input]) => toolCall(name, input)) }));
  const model = scriptedModel([...blocks, says("done")]);
  const turn = testTurn({ log, model, tools, sandbox: async () => box.sandbox });
  assert.deepEqual(await runTurn(turn), { type: "end_turn" });
  const added = log.events.slice(from);
  return added.flatMap((use) =>
    use.type !== "agent.tool_use"
      ? []
      : added.flatMap((event) =>
          event.type === "agent.tool_result" && event.tool_use_id === use.id
            ? event.content.map((block) => (block.type === "text" ? block.text : block.type))
            : [],
        ),
  );
}

async function begin(): Promise<MemoryLog> {
  await box.sh("seq -f 'line %g' 1 40 >/data/a.txt");
  await box.sandbox.run({ script: "cd /data", shell: "main", timeoutMs: 60_000 });
  return new MemoryLog();
}

function matches(texts: readonly string[], ...expected: RegExp[]): void {
  assert.equal(texts.length, expected.length, texts.join("\n---\n"));
  for (const [index, pattern] of expected.entries())
    assert.match(texts[index] ?? "", pattern, `result ${index}`);
}

test("Read again: the same lines under another name are unchanged, others and those of a compacted history are not", async () => {
  const log = await begin();
  const same = [
    [read()],
    [read({ file_path: "./a.txt" })],
    [read({ view_range: [1, 2_000] })],
    [read({ offset: 0 })],
  ];
  matches(await results(log, ...same), WHOLE, UNCHANGED, UNCHANGED, UNCHANGED);
  matches(await results(log, [read({ limit: 39 })], [read({ limit: 39 })]), /^1\tline 1\n/, UNCHANGED);
  log.store([
    {
      event: { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
      memo: { text: "Summary.", kept: "go" },
    },
  ]);
  matches(await results(log, [read()], [read()]), WHOLE, UNCHANGED);
});

test("Read again: after Edit, Write and a command that changed the file, what changed; after one that changed it back, the whole", async () => {
  const log = await begin();
  const edit = (old_string: string, new_string: string): Call => [
    "Edit",
    { file_path: "/data/a.txt", old_string, new_string },
  ];
  const done = /1 replacement/;
  const changed = (line: RegExp) =>
    new RegExp(`^\\(As in your Read of these lines above, except for its ${line.source}`);
  const seven = changed(
    /lines 5 to 9, which are now:\)\n5\tline 5\n6\tline 6\n7\tline seven\n8\tline 8\n9\tline 9$/,
  );
  const both = changed(
    /lines 5 to 12, which are now:\)\n5\tline 5\n6\tline 6\n7\tline seven\n[\s\S]*\n10\tten\n11\tline 11\n12\tline 12$/,
  );
  matches(
    await results(log, [read()], [edit("line 7", "line seven")], [read()], [read()]),
    WHOLE,
    done,
    seven,
    UNCHANGED,
  );
  matches(
    await results(log, [edit("line 10", "ten")], [read()], [edit("ten", "line 10")], [read()]),
    done,
    both,
    done,
    seven,
  );
  matches(await results(log, [edit("line seven", "line 7")], [read()], [read()]), done, WHOLE, UNCHANGED);
  const longer = Array.from({ length: 60 }, (_, at) => `row ${at}`).join("\n");
  matches(
    await results(
      log,
      [["Write", { file_path: "a.txt", content: longer }]],
      [read()],
      [bash("sed -i 's/row 5$/row five\\nand another/' a.txt")],
      [read()],
    ),
    /Overwrote/,
    /^1\trow 0\n[\s\S]*\n60\trow 59$/,
    /no output/,
    changed(
      /lines 4 to 8, which are now:\)\n4\trow 3\n5\trow 4\n6\trow five\n7\tand another\n8\trow 6\n9\trow 7\n\(Its line 9 is line 10 now, and so on\.\)$/,
    ),
  );
});

test("Read again: what failed or was cut before is compared as it was", async () => {
  const log = await begin();
  await box.sh("mv /data/a.txt /data/b.txt");
  matches(await results(log, [read()], [read()]), /does not exist/, /does not exist/);
  await box.sh("mv /data/b.txt /data/a.txt");
  matches(await results(log, [read()]), WHOLE);
  await box.sh("seq -f 'a longer line with the number %g' 1 3000 >/data/a.txt");
  const cut = /\n\[Lines 1 to \d+ of 3000\. Use offset to read on\.\]$/;
  matches(await results(log, [read()], [read()]), cut, UNCHANGED);
  await box.sh("echo one more >>/data/a.txt");
  matches(
    await results(log, [read()]),
    /except for its lines \d+ to \d+, which are now:\)\n.*\n.*\n\[Lines 1 to \d+ of 3001\./,
  );
});

test("calls of one response: none is compared with another of them, and later ones with the last", async () => {
  const log = await begin();
  matches(await results(log, [read(), read()], [read(), read()]), WHOLE, WHOLE, UNCHANGED, UNCHANGED);
  const told = await results(log, [bash("cd /tmp; pwd"), bash("cd /var")], [bash("pwd"), bash("pwd")]);
  matches(
    told,
    /^\/tmp\n\[This ran beside/,
    /^\[working directory \/var\]$/,
    /^\/var\n\[This ran/,
    /^\/var$/,
  );
});

test("turn that another process goes on with: the history is the same, so are the comparisons", async () => {
  const log = await begin();
  matches(await results(log, [read()], [bash("cd /tmp")]), WHOLE, /^\[working directory \/tmp\]$/);
  const successor = new MemoryLog(Date.now, log.entries);
  matches(await results(successor, [read()], [bash("pwd")]), UNCHANGED, /^\/tmp$/);
});

test("working directory: told again after a compaction, a restart, and wherever it is another", async () => {
  const log = await begin();
  matches(
    await results(log, [bash("cd /tmp; (exit 2)")], [bash("pwd")]),
    /^\[exit code 2\]\n\[working directory \/tmp\]$/,
    /^\/tmp$/,
  );
  log.store([
    {
      event: { type: "agent.context_compacted", input_tokens_before: 2, input_tokens_after: 1 },
      memo: { text: "Summary.", kept: "go" },
    },
  ]);
  matches(
    await results(log, [bash("true")], [bash("true")]),
    /^\[working directory \/tmp\]$/,
    /^\(no output\)$/,
  );
  const restarted = await results(log, [["Bash", { restart: true }]], [bash("pwd")], [bash("cd /tmp")]);
  matches(restarted, /restarted in \/data/, /^\/data$/, /^\[working directory \/tmp\]$/);
  matches(
    await results(log, [bash("pwd", { restart: true })], [bash("pwd")]),
    /^\/data\n\[working directory \/data\]$/,
    /^\/data$/,
  );
});

const SECRET = "s3cr3t-0123456789";

test("Read again of what the log has in another form: unchanged, and of a change only that", async () => {
  const mask = (text: string) => text.replaceAll(SECRET, "[secret]");
  const masked = tools.map(
    (tool): Tool => ({
      ...tool,
      async run(input, context) {
        const { content, isError } = await tool.run(input, { ...context, mask });
        const hidden = content.map((block) =>
          block.type === "text" ? { ...block, text: mask(block.text) } : block,
        );
        return { content: hidden, isError };
      },
    }),
  );
  const seven = /its lines 5 to 9, which are now:\)\n5\tline 5\n6\tline 6\n7\tseven\n8\tline 8\n9\tline 9$/;
  for (const odd of [`key = ${SECRET}`, `${SECRET} ${SECRET}`, "a \\000 b"]) {
    const log = await begin();
    // A NUL at the beginning would make it a binary file.
    await box.sh(`{ seq -f 'line %g' 1 1200; printf '${odd}\\n'; seq 400; } >/data/a.txt`);
    const change = bash("sed -i '7s/.*/seven/' /data/a.txt");
    const texts = await resultsWith(masked, log, [read()], [read()], [change], [read()]);
    matches(texts, /^1\tline 1\n/, UNCHANGED, /no output/, seven);
  }
});

test("Read again of lines that it does not show whole, or without a remark that it had: the whole, since not all that changed can be told", async () => {
  const wide = (end: string) => `{ seq 90; printf '%02500d%s\\n' 1 ${end}; } >/data/a.txt`;
  const ends = (line: string) => `seq 90 | sed '${line}s/$/\\r/' >/data/a.txt`;
  const cases: [before: string, after: string, shown: RegExp][] = [
    [wide("a"), wide("b"), /\[Long lines are cut\./],
    [
      wide("a"),
      `${wide("b")}; sed -i '3s/3/three/' /data/a.txt`,
      /\n3\tthree\n[\s\S]*\[Long lines are cut\./,
    ],
    [ends("9"), ends("8"), /\[Some lines end in CR LF/],
    [ends(""), "seq 90 >/data/a.txt", /\n90\t90$/],
    ["seq 90 | iconv -t UTF-16 >/data/a.txt", "seq 90 >/data/a.txt", /\n90\t90$/],
  ];
  for (const [before, after, shown] of cases) {
    const log = await begin();
    await box.sh(before);
    const [, , now = ""] = await results(log, [read()], [bash(after)], [read()]);
    assert.match(now, /^1\t1\n2\t2\n/, after);
    assert.match(now, shown, after);
  }
});

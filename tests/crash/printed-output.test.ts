import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { gate, openGate } from "../acceptance/harness/live-output.ts";
import { begin, INTERRUPTED, resultsOf, TICKS, ticking, ticksIn } from "./printed-lines.ts";
import { commandOf, descendantsOf, killRunner } from "./processes.ts";

/** Tests the output that commands had printed when the runner, or their sandbox, was killed. */
let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test("runner killed while a command runs: its result has what was printed until some seconds before", async () => {
  const inputs = {
    "lines alone": "",
    "on standard error, after a long beginning": "exec 2>&1 >&2; seq 1 20000;",
    "with bytes that are no text": "head -c 300 /dev/zero | tr '\\0' '\\377'; echo;",
  };
  const running = await Promise.all(
    Object.entries(inputs).map(async ([name, first]) => {
      const { id } = await makeSession(api);
      return { name, first, reader: await begin(api, id, ticking("tick", first), { say: "went on" }) };
    }),
  );
  for (const { reader } of running) await reader.until(() => reader.text().includes(`tick ${TICKS}\n`));
  await killRunner(berth);
  for (const { name, first, reader } of running) {
    const [text = ""] = await resultsOf(reader);
    const result = reader.frames.find(({ event }) => event === "agent.tool_result");
    assert.equal(result?.data.is_error, true);
    assert.match(text, INTERRUPTED, name);
    ticksIn(text, "tick");
    assert.ok(text.length < 20_000, `${name}: ${text.length} characters`);
    if (first.includes("seq"))
      assert.match(text, /^1\n2\n[\s\S]*\[\d+ bytes left out of the middle\][\s\S]*20000\ntick 1\n/);
    reader.close();
  }
});

test("runner killed while commands run side by side: one result each, nothing twice, and the session goes on", async () => {
  const { id } = await makeSession(api);
  const names = ["left", "middle", "right"];
  const done = bash(`echo done >> /data/effects; echo finished; ${gate("done")}; exit 3`);
  const reader = await begin(
    api,
    id,
    {
      tools: [
        ...names.map((name) => ticking(name, `echo ${name} >> /data/effects;`)),
        bash("echo quick"),
        done,
      ],
    },
    bash("sort /data/effects | tr '\\n' ' '"),
    { say: "went on" },
  );
  await openGate(api, id, "done");
  await reader.until(() =>
    names.every((name) => reader.text(reader.call(`echo ${name} $i`)).includes(`${name} ${TICKS}\n`)),
  );
  await killRunner(berth);
  await reader.untilIdle();
  const uses = reader.frames.filter(({ event }) => event === "agent.tool_use");
  const results = reader.frames.filter(({ event }) => event === "agent.tool_result").map(({ data }) => data);
  assert.deepEqual(
    results.map(({ tool_use_id: call }) => call).toSorted(),
    uses.map(({ data }) => data.id).toSorted(),
    "one result for each call",
  );
  const textOf = (word: string) =>
    toolResults(results.filter((one) => one.tool_use_id === reader.call(word)))[0] ?? "";
  for (const name of names) {
    const text = textOf(`echo ${name} $i`);
    assert.match(text, new RegExp(`^${name} 1\n`));
    assert.match(text, INTERRUPTED);
    for (const other of names) assert.equal(text.includes(other), other === name, "each has its own");
  }
  assert.match(textOf("echo quick"), /^quick/);
  assert.match(textOf("exit 3"), /^finished\n\[exit code 3\]/);
  assert.match(textOf("sort /data/effects"), /^done left middle right /);
  const ids = reader.frames.filter((frame) => frame.id !== "").map((frame) => frame.id);
  assert.equal(new Set(ids).size, ids.length, "no event comes twice");
  assert.deepEqual(reader.frames.at(-1)?.data.stop_reason, { type: "end_turn" });
  assert.match(toolResults(await runTurn(api, id, bash("echo again")))[0] ?? "", /again/);
});

test("sandbox killed, and time-out, while a command runs: its result has all that was printed", async () => {
  const { id } = await makeSession(api);
  const reader = await begin(api, id, bash(`echo shown; printf 'half a line'; ${gate("never")}`));
  await reader.until(() => reader.text().endsWith("half a line"));
  for (const pid of descendantsOf(berth.pid))
    if (/\/supervisor /.test(commandOf(pid))) process.kill(pid, "SIGKILL");
  await reader.untilIdle();
  const [cut = ""] = toolResults(reader.frames.map(({ data }) => data));
  assert.match(cut, /^shown\nhalf a line\n\[The sandbox stopped while this ran/);
  const late = { tool: "Bash", input: { command: `echo shown; ${gate("never")}`, timeout: 5_000 } };
  assert.match(
    toolResults(await runTurn(api, id, late))[0] ?? "",
    /shown\n\[Stopped: it took longer than 5 s\./,
  );
});

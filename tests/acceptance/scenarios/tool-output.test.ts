import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults } from "../harness/fixtures.ts";
import { gate, OutputReader, openGate } from "../harness/live-output.ts";
import { sharedService } from "../harness/shared-service.ts";

const { api } = await sharedService();

/** Begins a turn with these steps. */
async function begin(session: string, ...list: AnyJson[]): Promise<void> {
  await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...list)] });
}

/** Commands that print a part, wait for a gate, and print another one. */
const PRINTED: Readonly<Record<string, { first: string; second: string; text: string }>> = {
  lines: { first: "echo one; echo two", second: "echo three", text: "one\ntwo\nthree\n" },
  "a prompt without a line end, on standard error": {
    first: "printf 'Größe 😀? ' >&2",
    second: "printf 7",
    text: "Größe 😀? 7",
  },
  "a bar that is drawn anew": {
    first: "printf '10%%\\r\\033[32m 20%%'",
    second: "printf '\\r100%%\\033[0m\\n'",
    text: "10%\r\u001b[32m 20%\r100%\u001b[0m\n",
  },
};

covers(
  ["tool-output"],
  "tool output: what a command prints comes while it runs, in order, and is in no list",
  async () => {
    for (const [name, { first, second, text }] of Object.entries(PRINTED)) {
      const { id } = await makeSession(api);
      const reader = await OutputReader.open(api, id);
      await begin(id, bash(`${first}; ${gate("a")}; ${second}; ${gate("b")}`));
      await reader.until(() => reader.text() !== "" && text.startsWith(reader.text()));
      assert.ok(reader.text().length < text.length, name);
      const [late, plain] = await Promise.all([
        OutputReader.open(api, id),
        OutputReader.open(api, id, "event_deltas[]=agent.message"),
      ]);
      await late.until(() => late.text() === reader.text());
      await openGate(api, id, "a");
      await Promise.all([reader, late].map((one) => one.until(() => one.text() === text)));
      await openGate(api, id, "b");
      await Promise.all([reader, late, plain].map((one) => one.untilIdle()));
      const use = reader.frames.find(({ event }) => event === "agent.tool_use");
      for (const { tool_use_id } of reader.pieces()) assert.equal(tool_use_id, use?.data.id, name);
      const pieces = reader.frames.filter(({ event }) => event === "agent.tool_output");
      assert.ok(
        pieces.every((frame) => frame.id === ""),
        "pieces do not move Last-Event-ID",
      );
      assert.deepEqual(plain.pieces(), [], "they are sent to those who asked");
      const log = (await api.ok("GET", `/sessions/${id}/events?limit=100`)).data;
      assert.ok(!log.some(({ type }: AnyJson) => type === "agent.tool_output"));
      const result = log.find(({ type }: AnyJson) => type === "agent.tool_result");
      assert.equal(result.content[0].text, text.replace(/\n$/, ""), name);
    }
  },
);

covers(
  ["tool-output"],
  "tool output: of commands side by side, each piece names its call; none comes after the result",
  async () => {
    const { id } = await makeSession(api);
    const reader = await OutputReader.open(api, id);
    const commands = ["x", "y", "z"].map(
      (name) => `echo ${name}1; ${gate(name)}; echo ${name}2; ${gate("end")}`,
    );
    await begin(id, { tools: commands.map(bash) });
    await reader.until(() =>
      ["x1", "y1", "z1"].every((word) => reader.text(reader.call(word)) === `${word}\n`),
    );
    await openGate(api, id, "y");
    await reader.until(() => reader.text(reader.call("y1")) === "y1\ny2\n");
    assert.equal(reader.text(reader.call("x1")), "x1\n");
    for (const name of ["x", "z", "end"]) await openGate(api, id, name);
    await reader.untilIdle();
    for (const { data } of reader.frames.filter(({ event }) => event === "agent.tool_result")) {
      const own = reader.frames.filter(
        ({ data: other }) => other.tool_use_id === data.tool_use_id || other.id === data.tool_use_id,
      );
      assert.equal(own.at(-1)?.data, data);
    }
  },
);

covers(
  ["tool-output-bounds"],
  "tool output: of a flood some is shown and the rest left out, and a neighbour's turn ends meanwhile",
  async () => {
    const [{ id }, neighbour] = await Promise.all([makeSession(api), makeSession(api)]);
    await runTurn(api, neighbour.id, bash("true"));
    const reader = await OutputReader.open(api, id);
    const since = performance.now();
    await begin(
      id,
      bash(`yes "$(printf 'flood %.0s' $(seq 20))" & ${gate("a")}; kill $!; wait; echo over; ${gate("b")}`),
    );
    await reader.until(() => reader.pieces().length > 0);
    await reader.until(() => reader.pieces().at(-1).offset > 20 * 1024 * 1024);
    assert.deepEqual(toolResults(await runTurn(api, neighbour.id, bash("echo calm"))), ["calm"]);
    await openGate(api, id, "a");
    await reader.until(() => reader.text().endsWith("over\n"));
    const seconds = (performance.now() - since) / 1000;
    const shown = reader.pieces().reduce((sum, { text }) => sum + text.length, 0);
    assert.ok(shown < (seconds + 2) * 32 * 1024, `${shown} characters were shown in ${seconds} s`);
    for (const { text } of reader.pieces()) assert.ok(text.length <= 8 * 1024);
    await openGate(api, id, "b");
    await reader.untilIdle();
    const [result = ""] = toolResults(reader.frames.map(({ data }) => data));
    assert.match(result, /bytes left out of the middle; the output is kept in/);
    assert.match(result, /over/);
  },
);

covers(
  ["tool-output-interrupted"],
  "tool output: what an interrupted command had printed is in its result, also one that ran beside others",
  async () => {
    const { id } = await makeSession(api);
    for (const words of [["alone"], ["left", "right"], ["half a line"]]) {
      const reader = await OutputReader.open(api, id);
      const end = words.length > 1 ? "\\n" : "";
      const commands = words.map((word) =>
        bash(`printf '${word}${end}'; trap '' TERM INT; ${gate("never")}`),
      );
      await begin(id, { tools: commands });
      await reader.until(() => words.every((word) => reader.text(reader.call(word)).includes(word)));
      await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
      await reader.untilIdle();
      const results = toolResults(reader.frames.map(({ data }) => data)).toSorted();
      assert.equal(results.length, words.length);
      for (const [index, word] of words.entries())
        assert.match(results[index] ?? "", new RegExp(`^${word}\\n\\[interrupted: the call was`));
    }
  },
);

covers(["tool-output"], "tool output: it is no type of the log", async () => {
  const { id } = await makeSession(api);
  const answer = await api.get(`/sessions/${id}/events?types[]=agent.tool_output`);
  assertError(answer, 400, "invalid_request_error", { param: "types[0]" });
});

// Tests the output that commands in Docker containers had printed when the runner, or their container, was
// killed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import {
  missingForEngine,
  startTestEngine,
  TEST_IMAGE,
  type TestEngine,
} from "../container-engine/container-engine.ts";
import { begin, INTERRUPTED, resultsOf, TICKS, ticking, ticksIn } from "./printed-lines.ts";
import { killRunner } from "./processes.ts";

const skip = missingForEngine("dockerd") ?? false;

let engine: TestEngine;
let berth: Berth;
let api: Api;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => Promise<unknown>)[] = [];

before(async () => {
  if (skip !== false) return;
  engine = await startTestEngine("dockerd");
  CLEANUP.push(() => engine.close());
  berth = await Berth.start({
    settings: {
      BERTH_SANDBOX: "docker",
      BERTH_DOCKER_SOCKET: engine.socket,
      BERTH_DOCKER_IMAGE: TEST_IMAGE,
    },
  });
  CLEANUP.push(() => berth.stop());
  api = await berth.client();
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

async function ask(method: "GET" | "POST", path: string): Promise<string> {
  const sent = request({ socketPath: engine.socket, method, path }).end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return text;
}

test("runner killed while a command runs: its result has what was printed until some seconds before, and the next one runs", {
  skip,
}, async () => {
  const { id } = await makeSession(api);
  const first = ticking("tick", "echo kept >/data/kept; seq 1 20000;");
  const reader = await begin(api, id, first, bash("cat /data/kept"), { say: "went on" });
  await reader.until(() => reader.text().includes(`tick ${TICKS}\n`));
  await killRunner(berth);
  const [text = "", next] = await resultsOf(reader);
  assert.match(text, INTERRUPTED);
  assert.match(text, /^1\n2\n[\s\S]*\[\d+ bytes left out of the middle\][\s\S]*20000\ntick 1\n/);
  ticksIn(text, "tick");
  assert.equal(next, "kept");
});

test("container killed while commands run side by side: each result has all that was shown, and the session goes on", {
  skip,
}, async () => {
  const { id } = await makeSession(api);
  const names = ["left", "right"];
  const reader = await begin(api, id, { tools: names.map((name) => ticking(name)) }, { say: "went on" });
  const shown = (name: string) => reader.text(reader.call(`echo ${name} $i`));
  await reader.until(() => names.every((name) => shown(name).includes(`${name} 3\n`)));
  const containers: { Id: string }[] = JSON.parse(await ask("GET", "/containers/json"));
  assert.ok(containers.length > 0);
  for (const { Id } of containers) await ask("POST", `/containers/${Id}/kill?signal=KILL`);
  const results = await resultsOf(reader);
  for (const [at, name] of names.entries()) {
    const text = results[at] ?? "";
    assert.match(text, /\n\[The sandbox stopped while this ran/);
    assert.ok(text.startsWith(shown(name)), `${text} | ${shown(name)}`);
    assert.ok(ticksIn(text, name) >= 3);
  }
  assert.match(toolResults(await runTurn(api, id, bash("echo again")))[0] ?? "", /again/);
});

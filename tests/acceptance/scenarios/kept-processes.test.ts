import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after } from "node:test";
import { assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { readOrEmpty } from "../harness/read-or-empty.ts";
import { waitUntil } from "../harness/wait-until.ts";

const settings = { BERTH_SANDBOX_IDLE_SECONDS: "0", BERTH_MAX_KEEP_ALIVE_SECONDS: "7200" };
const berth = await Berth.start({ settings });
after(() => berth.stop());
const api = await berth.client();

/**
 * Returns a command that leaves a process of this name, which acts on SIGTERM as `trap` says. It starts no
 * other process, which the agent would be told of, too.
 */
const leave = (name: string, trap: string) =>
  `mkfifo /tmp/never; bash -c 'trap "${trap}" TERM; echo up >/tmp/up; exec 3<>/tmp/never; while :; do read -t 0.2 -u 3; done' ${name} >/dev/null 2>&1 & until [ -s /tmp/up ]; do :; done`;

const isRunning = (name: string) =>
  readdirSync("/proc").some((pid) => readOrEmpty(`/proc/${pid}/cmdline`).endsWith(`\0${name}\0`));

async function untilGone(name: string): Promise<void> {
  await waitUntil(
    () => !isRunning(name),
    () => `${name} still runs`,
  );
}

covers(
  ["keep-alive", "processes-end"],
  "keep_alive_seconds: what commands left runs on after the idle time, and ends by SIGTERM",
  async () => {
    const kept = await makeEnvironment(api, { name: "kept", keep_alive_seconds: 7_200 });
    assert.equal((await api.ok("GET", `/environments/${kept.id}`)).keep_alive_seconds, 7_200);
    const session = await makeSession(api, { environment_id: kept.id });
    await runTurn(api, session.id, bash(leave("kept-1", "echo ended >/data/ended; exit")));
    const plain = await makeEnvironment(api, { name: "plain" });
    assert.equal(plain.keep_alive_seconds, 0);
    const other = await makeSession(api, { environment_id: plain.id });
    await runTurn(api, other.id, bash(leave("plain-1", "echo ended >/data/ended; exit")));
    await untilGone("plain-1");
    assert.ok(isRunning("kept-1"));
    const [said] = toolResults(await runTurn(api, other.id, bash("cat /data/ended")));
    assert.match(said ?? "", /^ended/);
    assert.match(said ?? "", /Processes that were running have ended: `bash -c .* plain-1`/);
    await api.ok("POST", `/environments/${kept.id}`, { keep_alive_seconds: 1 });
    assert.match(
      toolResults(await runTurn(api, session.id, bash("cat /data/ended 2>&1")))[0] ?? "",
      /No such file/,
    );
    await untilGone("kept-1");
    assert.match(toolResults(await runTurn(api, session.id, bash("cat /data/ended")))[0] ?? "", /^ended/);
  },
);

covers(
  ["processes-end"],
  "processes that ignore SIGTERM end with their sandbox, and nothing that they wrote before is lost",
  async () => {
    const session = await makeSession(api);
    const [result] = toolResults(
      await runTurn(api, session.id, bash(leave("stubborn", "echo asked >>/data/asked"))),
    );
    assert.ok(result !== undefined);
    await untilGone("stubborn");
    assert.match(toolResults(await runTurn(api, session.id, bash("cat /data/asked")))[0] ?? "", /^asked/);
  },
);

covers(["keep-alive"], "keep_alive_seconds: more than the operator allows is refused", async () => {
  const refused = await api.post("/environments", { name: "long", keep_alive_seconds: 7_201 });
  assertError(refused, 400, "invalid_request_error", { param: "keep_alive_seconds" });
  for (const keep_alive_seconds of [-1, 1.5, 86_401, "60"])
    assertError(
      await api.post("/environments", { name: "long", keep_alive_seconds }),
      400,
      "invalid_request_error",
      {
        param: "keep_alive_seconds",
      },
    );
});

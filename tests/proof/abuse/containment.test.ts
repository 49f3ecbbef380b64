import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeEnvironment, makeSession, runTurn, toolResults } from "../../acceptance/harness/fixtures.ts";
import { missingForDiskLimits } from "../../acceptance/harness/loop-devices.ts";
import { ABUSES, type Abuse } from "./abuses.ts";
import { stableState, waitUntilClean } from "./host-state.ts";
import { type Latencies, makeNeighbour, type Neighbour, p99 } from "./neighbour.ts";

/**
 * Runs each abuse in sessions beside a neighbour. The neighbour's commands and the API keep working, the
 * agent's result reports the limit, and the session runs the next command. Ten seconds after its deletion
 * nothing remains on the host.
 */

const TRIALS = Number(process.env.TEST_ABUSE_TRIALS ?? 2);
/**
 * Generous limits, because a shared machine has pauses of its own; the benchmark measures the strict limit.
 */
const [MAX_SLOWDOWN, MIN_BOUND_MS] = [10, 2_000];

const MISSING_FOR_DISK_LIMITS = missingForDiskLimits();
const IS_ROOT = process.getuid?.() === 0;

describe("abuse: contained in its sandbox", {
  skip: IS_ROOT ? false : "not root: limits are weaker",
  timeout: 900_000,
}, () => {
  let berth: Berth;
  let api: Api;
  let environment: string;
  let neighbour: Neighbour;
  let quiet: Latencies;
  before(async () => {
    berth = await Berth.start({ settings: { BERTH_SANDBOX_IDLE_SECONDS: "600" } });
    api = await berth.client();
    const disk = MISSING_FOR_DISK_LIMITS === false ? { disk_mb: 64 } : {};
    const resources = { cpus: 1, memory_mb: 64, pids: 64, ...disk };
    environment = (await makeEnvironment(api, { resources })).id;
    neighbour = await makeNeighbour(api, environment);
    quiet = await neighbour.during(Promise.resolve(), 12);
  });
  after(() => berth.stop());

  for (const [name, abuse] of Object.entries(ABUSES)) {
    test(name, { skip: abuse.fillsDisk === true && MISSING_FOR_DISK_LIMITS }, async (context) => {
      const state = await stableState(berth);
      const sessions = Promise.all(Array.from({ length: TRIALS }, () => runAbuse(api, environment, abuse)));
      const beside = await neighbour.during(sessions, 4);
      for (const session of await sessions) await api.ok("DELETE", `/sessions/${session}`);
      const settled = await waitUntilClean(berth, state);
      for (const kind of ["calls", "commands"] as const) {
        const [usual, now] = [p99(quiet[kind]), p99(beside[kind])];
        context.diagnostic(
          `${kind}: p99 ${now.toFixed(0)} ms of ${beside[kind].length}, quiet ${usual.toFixed(0)} ms`,
        );
        assert.ok(
          now <= Math.max(MAX_SLOWDOWN * usual, MIN_BOUND_MS),
          `${kind} took ${now} ms, usually ${usual}`,
        );
      }
      context.diagnostic(`clean after ${settled.toFixed(0)} ms`);
    });
  }

  test("outputs are saved even when a background process ends the sandbox", async () => {
    const { id } = await makeSession(api, { environment_id: environment });
    const command = "echo found >/mnt/session/outputs/result; bomb() { bomb | bomb & }; bomb";
    const events = await runTurn(api, id, { tool: "Bash", input: { command, timeout: 60_000 } });
    assert.deepEqual(
      events.filter(({ type }) => type === "session.error"),
      [],
    );
    const { data } = await api.ok("GET", `/files?scope_id=${id}`);
    assert.deepEqual(
      data.map(({ filename }: AnyJson) => filename),
      ["result"],
    );
    await api.ok("DELETE", `/sessions/${id}`);
  });
});

/** Runs the abuse in a new session, checks its result and the next command, and returns the session id. */
async function runAbuse(api: Api, environment: string, { command, timeout, result }: Abuse): Promise<string> {
  const { id } = await makeSession(api, { environment_id: environment });
  const [text = ""] = toolResults(await runTurn(api, id, { tool: "Bash", input: { command, timeout } }));
  assert.ok(result.test(text), `the result ends with: ${text.slice(-2_000)}`);
  assert.ok(text.length < 110_000, `${text.length} characters`);
  const [next] = toolResults(
    await runTurn(api, id, {
      tool: "Bash",
      input: { command: "ls / >/dev/null && echo goes on", timeout: 60_000 },
    }),
  );
  assert.match(next ?? "", /goes on/);
  return id;
}

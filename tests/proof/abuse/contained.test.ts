import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeEnvironment, makeSession, runTurn, toolResults } from "../../acceptance/harness/fixtures.ts";
import { missingForDiskLimits } from "../../acceptance/harness/loop-devices.ts";
import { type Abuse, abuses } from "./abuses.ts";
import { restingState, settles } from "./host-state.ts";
import { type Latencies, makeNeighbour, type Neighbour, p99 } from "./neighbour.ts";

/**
 * Each abuse in sessions beside a neighbour: the neighbour's commands and the API go on, the agent is told what happened, its
 * session runs the next command, and when it is deleted nothing is left on the host ten seconds later.
 */

const trials = Number(process.env.BERTH_TEST_ABUSE_TRIALS ?? 2);
/** A shared machine stutters by itself: the strict promise is measured by the bench. */
const [MOST_TIMES, LEAST_BOUND_MS] = [10, 2_000];

const lack = missingForDiskLimits();
const root = process.getuid?.() === 0;

describe("abuse is contained", {
  skip: root ? false : "without root limits are weaker",
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
    const disk = lack === false ? { disk_mb: 64 } : {};
    const resources = { cpus: 1, memory_mb: 64, pids: 64, ...disk };
    environment = (await makeEnvironment(api, { resources })).id;
    neighbour = await makeNeighbour(api, environment);
    quiet = await neighbour.during(Promise.resolve(), 12);
  });
  after(() => berth.stop());

  for (const [name, abuse] of Object.entries(abuses)) {
    test(name, { skip: abuse.fillsDisk === true && lack }, async (context) => {
      const state = await restingState(berth);
      const over = Promise.all(Array.from({ length: trials }, () => abused(api, environment, abuse)));
      const beside = await neighbour.during(over, 4);
      for (const session of await over) await api.ok("DELETE", `/sessions/${session}`);
      const settled = await settles(berth, state);
      for (const kind of ["calls", "commands"] as const) {
        const [usual, now] = [p99(quiet[kind]), p99(beside[kind])];
        context.diagnostic(
          `${kind}: p99 ${now.toFixed(0)} ms of ${beside[kind].length}, quiet ${usual.toFixed(0)} ms`,
        );
        assert.ok(
          now <= Math.max(MOST_TIMES * usual, LEAST_BOUND_MS),
          `${kind} took ${now} ms, else ${usual}`,
        );
      }
      context.diagnostic(`nothing left after ${settled.toFixed(0)} ms`);
    });
  }

  test("what was saved as an output is kept, also when what runs on ends the sandbox", async () => {
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

/** The id of a session that did it, was told so, and went on. */
async function abused(api: Api, environment: string, { command, timeout, tells }: Abuse): Promise<string> {
  const { id } = await makeSession(api, { environment_id: environment });
  const [told = ""] = toolResults(await runTurn(api, id, { tool: "Bash", input: { command, timeout } }));
  assert.match(told.slice(-2_000), tells);
  assert.ok(told.length < 110_000, `${told.length} characters`);
  const [next] = toolResults(
    await runTurn(api, id, {
      tool: "Bash",
      input: { command: "ls / >/dev/null && echo goes on", timeout: 60_000 },
    }),
  );
  assert.match(next ?? "", /goes on/);
  return id;
}

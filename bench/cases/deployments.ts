import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { type Figure, median } from "../figure.ts";
import { type ProcessorTime, processorTime } from "../processor-time.ts";

const IDLE = 10_000;
const DUE = 1_000;
const AT_ONCE = 16;
/** Seconds of each measurement of an idle service, and seconds before it in which what was created is put in order. */
const SECONDS = 20;
const REST_SECONDS = 60;
const ROUNDS = 3;
/** Seconds in which the deployments of one slot are created. */
const AHEAD_SECONDS = 90;
/** A day that comes every four years. */
const SELDOM = { type: "cron", expression: "0 0 29 2 *", timezone: "Europe/Berlin" };

/** Measures what deployments cost that wait, and how long those of one slot take to create their sessions. */
export async function deploymentFigures(): Promise<Figure[]> {
  // A group counts what connections to the database used that have ended, too.
  const used = processorTime("deployments");
  const berth = await Berth.start({ wrapper: used.wrapper });
  try {
    return await measure(used, await berth.client());
  } finally {
    await berth.stop();
    used.remove();
  }
}

async function measure(used: ProcessorTime, api: Api): Promise<Figure[]> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  const body = { name: "d", agent: agent.id, environment_id: environment.id };
  const deploy = (schedule: AnyJson) =>
    api.ok("POST", "/deployments", { ...body, schedule, initial_events: [steps({ say: "Done." })] });
  const before = await idleCost(used);
  await together(IDLE, () => deploy(SELDOM));
  const after = await idleCost(used);
  const share = (cost: number) => `${(cost / 10_000).toFixed(2)} %`;
  const shares = `${share(before)} of a core without them, ${share(after)} with them`;
  process.stderr.write(`${shares}\n`);
  const at = new Date(Date.now() + AHEAD_SECONDS * 1_000);
  await together(DUE, () => deploy({ type: "at", at: at.toISOString() }));
  assert.ok(Date.now() < at.getTime(), "they were not created in time");
  const runs = await runsOf(api, at.toISOString());
  const created = runs.filter(({ session_id }) => session_id !== null);
  const late = created.map(({ created_at }) => Date.parse(created_at) - at.getTime());
  return [
    {
      what: `${IDLE} deployments that wait: processor time in each second, beside that of the idle service`,
      ...{ value: after - before, unit: "µs", limit: 5_000 },
      ...{ peer: "the service without them", peerValue: before },
      note: shares,
    },
    {
      what: `${DUE} of one time: that time → their last session is created`,
      ...{ value: Math.max(...late), unit: "ms" },
      ...{ peer: "their median session, since they are spread over 10 s", peerValue: median(late) },
      note: `the first after ${Math.min(...late)} ms; ${DUE - created.length} were missed: not begun within a minute`,
    },
  ];
}

/** Returns the microseconds of processor time that the idle service and its database use in a second. */
async function idleCost({ used }: ProcessorTime): Promise<number> {
  await pause(REST_SECONDS * 1_000);
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [before, began] = [used(), performance.now()];
    await pause(SECONDS * 1_000);
    costs.push(((used() - before) / (performance.now() - began)) * 1_000_000);
  }
  return median(costs);
}

async function together(count: number, make: () => Promise<AnyJson>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      // A machine that is busy with something else may keep a request from its database.
      await make().catch(make);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Resolves with the runs of a time once all are there. */
async function runsOf(api: Api, at: string): Promise<AnyJson[]> {
  for (;;) {
    const found: AnyJson[] = [];
    for (let page: string | null = ""; page !== null; ) {
      const query: string = `trigger_type=schedule&limit=100${page === "" ? "" : `&page=${page}`}`;
      const { data, next_page } = await api.ok("GET", `/deployment_runs?${query}`);
      found.push(...data);
      page = next_page;
    }
    if (found.length >= DUE) {
      for (const { trigger_context, error } of found) {
        assert.ok(error === null || error.type === "missed", error?.message);
        assert.equal(trigger_context.scheduled_at, at);
      }
      return found;
    }
    await pause(1_000);
  }
}

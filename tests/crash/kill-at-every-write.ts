import assert from "node:assert/strict";
import { loadavg } from "node:os";
import type { TestContext } from "node:test";
import type { Berth } from "../acceptance/harness/berth.ts";
import { countCalls, type Injection, injectKill } from "./inject-kill.ts";
import { pointsToTry, sample } from "./points.ts";
import { isAlive, killRunner, waitForPid } from "./processes.ts";
import { newSeed } from "./seed.ts";

/** Work of a runner that the test kills at each of its writes. `name` is unique for each run. */
export interface KillScenario<Result> {
  service(): Berth;
  /** The number of points to try at most, spread over the work. */
  sampledPoints: number;
  /** Performs the work. It calls `attach` once; writes of the current runner count from then on. */
  run(name: string, attach: () => Promise<void>): Promise<Result>;
  /** Asserts what must hold whether the runner was killed or not. */
  check(result: Result, name: string): Promise<void>;
}

interface Point {
  call: string;
  nth: number;
}

/**
 * Runs the scenario once undisturbed, to count the writes by system call. Then runs it for each point, where
 * the kernel kills the runner at the Nth call of one kind. Each run starts with a new runner. Prints the
 * numbers of points, tried points and kills: the number of writes varies, so a run may end before its point.
 * Also prints the seed, as each run of the test tries other points.
 */
export async function killAtEveryWrite<Result>(
  context: TestContext,
  scenario: KillScenario<Result>,
): Promise<void> {
  const counts = await countWrites(scenario);
  const all = [...counts].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, n) => ({ call, nth: n + 1 })),
  );
  const seed = newSeed();
  const points = sample(all, pointsToTry(scenario.sampledPoints), seed);
  let kills = 0;
  for (const point of points) if (await killAt(scenario, point)) kills += 1;
  const kinds = [...counts].map(([call, count]) => `${count} ${call}`).join(", ");
  context.diagnostic(
    `${points.length} of ${all.length} crash points (${kinds}) tried, ${kills} killed the runner, seed ${seed}`,
  );
  assert.ok(kills > points.length / 4, `only ${kills} of ${points.length} points killed the runner`);
}

async function countWrites<Result>(scenario: KillScenario<Result>): Promise<Map<string, number>> {
  await startNewRunner(scenario.service());
  let counting: Awaited<ReturnType<typeof countCalls>> | undefined;
  const result = await runScenario(scenario, "undisturbed", async () => {
    counting = await countCalls(await waitForPid(scenario.service(), "runner"));
  });
  const counts = (await counting?.counts()) ?? new Map();
  await scenario.check(result, "undisturbed");
  return counts;
}

async function killAt<Result>(scenario: KillScenario<Result>, { call, nth }: Point): Promise<boolean> {
  const service = scenario.service();
  const name = `${call}-${nth}`;
  await startNewRunner(service);
  let runner = 0;
  let tracer: Injection | undefined;
  const result = await runScenario(scenario, name, async () => {
    runner = await waitForPid(service, "runner");
    tracer = await injectKill(runner, nth, [call]);
  });
  const killed = !isAlive(runner);
  await tracer?.stop();
  await scenario.check(result, name);
  return killed;
}

/**
 * Starts a new runner. The service still reports ready until it notices that its runner is gone, so readiness
 * is checked once there is another one.
 */
async function startNewRunner(service: Berth): Promise<void> {
  await killRunner(service);
  await waitForPid(service, "runner");
  await service.ready();
}

/**
 * Runs the scenario. A failure includes the service's log, which shows whether its runner restarted and its
 * errors.
 */
async function runScenario<Result>(
  { service, run }: KillScenario<Result>,
  name: string,
  attach: () => Promise<void>,
): Promise<Result> {
  const before = service().log.length;
  try {
    return await run(name, attach);
  } catch (cause) {
    const load = loadavg()[0]?.toFixed(1);
    throw new Error(`${name}, at a load of ${load}:\n${service().log.slice(before)}`, { cause });
  }
}

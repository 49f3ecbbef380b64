import assert from "node:assert/strict";
import { loadavg } from "node:os";
import type { TestContext } from "node:test";
import type { Berth } from "../acceptance/harness/berth.ts";
import { countCalls, type Injection, injectKill } from "./inject-kill.ts";
import { endRunner, isAlive, livingPid } from "./processes.ts";

/** Something that a runner does, to be cut at its writes. `name` is another each time. */
export interface Cutting<Done> {
  service(): Berth;
  /** Points to be tried; where there are more, so many evenly among them. `BERTH_TEST_CRASH_POINTS` overrules. */
  most: number;
  /** Does it. From `attach` on, which is called once, the writes of the runner that lives then are counted. */
  act(name: string, attach: () => Promise<void>): Promise<Done>;
  /** Holds what was done to what must be true, cut or not. */
  check(done: Done, name: string): Promise<void>;
}

interface Point {
  call: string;
  nth: number;
}

/**
 * Does it once uncut, to count its writes by system call, then once for each point: the kernel kills the runner at the Nth of
 * one kind. Each begins with a new runner that is ready. Prints how many points there are, how many were tried, and how
 * many of these cut it: the number of writes is not the same each time.
 */
export async function cutEverywhere<Done>(context: TestContext, cutting: Cutting<Done>): Promise<void> {
  const counts = await countedCalls(cutting);
  const all = [...counts].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, n) => ({ call, nth: n + 1 })),
  );
  const points = evenly(all, Number(process.env.BERTH_TEST_CRASH_POINTS ?? cutting.most));
  let cuts = 0;
  for (const point of points) if (await cutAt(cutting, point)) cuts += 1;
  const kinds = [...counts].map(([call, count]) => `${count} ${call}`).join(", ");
  context.diagnostic(`${points.length} of ${all.length} crash points (${kinds}) tried, ${cuts} cut it`);
  assert.ok(cuts > points.length / 4, `only ${cuts} of ${points.length} points cut it`);
}

async function countedCalls<Done>(cutting: Cutting<Done>): Promise<Map<string, number>> {
  await endRunner(cutting.service());
  await cutting.service().ready();
  let counting: Awaited<ReturnType<typeof countCalls>> | undefined;
  const done = await acted(cutting, "uncut", async () => {
    counting = await countCalls(await livingPid(cutting.service(), "runner"));
  });
  const counts = (await counting?.counts()) ?? new Map();
  await cutting.check(done, "uncut");
  return counts;
}

async function cutAt<Done>(cutting: Cutting<Done>, { call, nth }: Point): Promise<boolean> {
  const service = cutting.service();
  const name = `${call}-${nth}`;
  await endRunner(service);
  await service.ready();
  let runner = 0;
  let tracer: Injection | undefined;
  const done = await acted(cutting, name, async () => {
    runner = await livingPid(service, "runner");
    tracer = await injectKill(runner, nth, [call]);
  });
  const cut = !isAlive(runner);
  await tracer?.stop();
  await cutting.check(done, name);
  return cut;
}

/** A failure tells what the service said meanwhile: whether its runner came back, and what it ran into. */
async function acted<Done>(
  { service, act }: Cutting<Done>,
  name: string,
  attach: () => Promise<void>,
): Promise<Done> {
  const before = service().log.length;
  try {
    return await act(name, attach);
  } catch (cause) {
    const load = loadavg()[0]?.toFixed(1);
    throw new Error(`${name}, at a load of ${load}:\n${service().log.slice(before)}`, { cause });
  }
}

function evenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor(((index + 0.5) * all.length) / most)],
  ).filter((point) => point !== undefined);
}

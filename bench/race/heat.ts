import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { totalCpu } from "../cpu-time.ts";
import { median } from "../figure.ts";
import { load } from "../load.ts";
import { memory } from "../memory.ts";
import type { Lap, Place, Racer, Started, Work } from "./racer.ts";

export const SESSIONS = 2_000;
const SECONDS = 3;
const REST_MS = 4_000;
const TURNS = 30;
const WARM_UP_TURNS = 5;

/** The measurements of one racer, by row name. A measurement that does not apply is absent. */
export type Heat = Map<string, number>;

/**
 * Starts a racer twice, the first time with an empty store, measures everything that it supports, and stops
 * it.
 */
export async function heat(racer: Racer, place: Omit<Place, "store">): Promise<Heat> {
  const store = await mkdtemp(join(tmpdir(), "berth-race-store-"));
  const measured: Heat = new Map();
  const start = async (name: string) => {
    const begun = performance.now();
    const started = await racer.start({ ...place, store });
    measured.set(name, performance.now() - begun);
    return started;
  };
  try {
    await (await start("first start")).stop();
    const started = await start("start");
    try {
      await pause(REST_MS);
      measured.set("memory", memory(started.pid));
      const work = await started.work();
      await measureTurns(measured, work);
      await measureRates(measured, work, started);
    } finally {
      await started.stop();
    }
  } finally {
    await rm(store, { recursive: true, force: true });
  }
  return measured;
}

async function measureTurns(measured: Heat, work: Work): Promise<void> {
  const laps: Lap[] = [];
  while (laps.length < WARM_UP_TURNS + TURNS) laps.push(await work.turn());
  work.end();
  for (const part of ["echoed", "began", "ended"] as const) {
    const values = laps.slice(WARM_UP_TURNS).flatMap((lap) => lap[part] ?? []);
    if (values.length > 0) measured.set(part, median(values));
  }
}

/** Measures rates. The list has the same number of sessions for all racers, plus one or two. */
async function measureRates(measured: Heat, { create, list }: Work, { url, pid }: Started): Promise<void> {
  let left = SESSIONS;
  await load(url, { callers: 8, seconds: 600 }, () => (left-- > 0 ? create() : null));
  const measure = async (name: string, callers: number, next: () => string) => {
    const before = totalCpu(pid);
    const { perSecond, count } = await load(url, { callers, seconds: SECONDS }, next);
    measured.set(name, perSecond).set(`CPU of ${name}`, (totalCpu(pid) - before) / count);
  };
  if (list !== null) await measure("list", 16, list);
  await measure("create 8", 8, create);
  await measure("create 64", 64, create);
}

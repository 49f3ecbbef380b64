import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Berth } from "../acceptance/harness/berth.ts";
import { readOrEmpty } from "../acceptance/harness/read-or-empty.ts";
import { isSampled } from "../effort/effort.ts";
import { CAN_INJECT, countCalls, injectKill, injectStop } from "./inject-kill.ts";
import { sample } from "./points.ts";
import { childrenOf, commandOf, descendantsOf, isAlive, signalIfAlive, waitForPid } from "./processes.ts";
import { newSeed } from "./seed.ts";
import { SessionBursts } from "./session-bursts.ts";

/**
 * Tests kills while one statement stores sessions that are created at the same time. The kill is at a system
 * call: of the service, from the first read to the last response, or of the database connections that store.
 * The latter read rows, write and flush the WAL, and send rows or the end of the statement.
 */

const POINTS_OF_EACH = isSampled() ? 2 : 4;

/** The Nth system call of one kind. */
interface Point {
  call: string;
  nth: number;
}

/**
 * The points of a statement. One of many rows is read in several parts; its first rows are sent before it is
 * committed.
 */
const POINTS_OF_STATEMENT: readonly Point[] = [
  ...[1, 2, 3, 5].map((nth) => ({ call: "recvfrom", nth })),
  ...[1, 2, 4].map((nth) => ({ call: "pwrite64", nth })),
  ...[1, 2].map((nth) => ({ call: "fdatasync", nth })),
  ...[1, 2, 3, 4].map((nth) => ({ call: "sendto", nth })),
];

interface Victim {
  points(): Promise<readonly Point[]> | readonly Point[];
  /** Runs the burst, and kills at the point. Resolves when everything runs again, with whether it killed. */
  strike(point: Point, burst: () => Promise<readonly string[]>): Promise<boolean>;
}

const VICTIMS: Record<string, Victim> = {
  service: { points: writesOfService, strike: killService },
  "connection of the database": { points: () => POINTS_OF_STATEMENT, strike: killConnection },
  database: { points: () => POINTS_OF_STATEMENT, strike: (point, burst) => killAll(point, burst, false) },
  "database and service": {
    points: () => POINTS_OF_STATEMENT,
    strike: (point, burst) => killAll(point, burst, true),
  },
};

let berth: Berth;
let bursts: SessionBursts;
before(async () => {
  berth = await Berth.start();
  bursts = await SessionBursts.prepare(berth);
});
after(() => berth.stop());

test("killed while many sessions are created: what was acknowledged is there, all else wholly or not at all", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  const seed = newSeed();
  context.diagnostic(`seed ${seed}`);
  await undisturbed("first");
  for (const [place, [name, victim]] of Object.entries(VICTIMS).entries())
    await killAtPoints(context, name, victim, seed + place);
  context.diagnostic(await bursts.check(berth));
});

async function killAtPoints(
  context: TestContext,
  name: string,
  { points, strike }: Victim,
  seed: number,
): Promise<void> {
  const began = performance.now();
  const all = await points();
  const tried = sample(all, POINTS_OF_EACH, seed);
  let kills = 0;
  for (const point of tried) {
    const burst = `${name} at ${point.call} ${point.nth}`;
    if (await strike(point, () => bursts.run(berth.url, burst))) kills += 1;
    await undisturbed(`${burst}, afterwards`);
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  context.diagnostic(`${name}: ${tried.length} of ${all.length} points, ${kills} killed it, ${seconds} s`);
  // The connections share each burst differently, so one may not reach the point.
  assert.ok(kills > tried.length / 4, `only ${kills} of ${tried.length} points killed the ${name}`);
}

/** Runs a burst, and asserts that each request has its response. */
async function undisturbed(name: string): Promise<void> {
  assert.deepEqual(await bursts.run(berth.url, name), [], name);
}

async function writesOfService(): Promise<Point[]> {
  const counting = await countCalls(berth.pid);
  await undisturbed("counted");
  return [...(await counting.counts())].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, n) => ({ call, nth: n + 1 })),
  );
}

async function killService({ call, nth }: Point, burst: () => Promise<readonly string[]>): Promise<boolean> {
  const tracer = await injectKill(berth.pid, nth, [call]);
  const unanswered = await burst();
  await tracer.stop();
  // The log line is written after the response, so a service that was killed there may be about to end.
  if (unanswered.length === 0 && (await answers())) return false;
  await startAgain();
  return true;
}

/** Kills a storing connection. The server then ends all other connections, too, and restarts. */
async function killConnection(
  { call, nth }: Point,
  burst: () => Promise<readonly string[]>,
): Promise<boolean> {
  const storing = await storingConnections();
  const all = await connections();
  const tracer = await injectKill(storing, nth, [call]);
  const unanswered = await burst();
  await tracer.stop();
  const killed = unanswered.length > 0 || !storing.every(isAlive);
  while (killed && all.some(isAlive)) await pause(5);
  await berth.ready();
  return killed;
}

/** Kills all processes of the database, and with `withService` those of the service, at the same moment. */
async function killAll(
  { call, nth }: Point,
  burst: () => Promise<readonly string[]>,
  withService: boolean,
): Promise<boolean> {
  const tracer = await injectStop(await storingConnections(), nth, [call]);
  const ended = burst();
  const stopped = await Promise.race([tracer.stopped.then(() => true), ended.then(() => false)]);
  if (stopped) await killProcesses(withService);
  await ended;
  await tracer.stop();
  if (stopped && withService) await startAgain();
  else await waitForPid(berth, "postgres").then(() => berth.ready());
  return stopped;
}

async function killProcesses(withService: boolean): Promise<void> {
  const postmaster = await waitForPid(berth, "postgres");
  const service = withService ? [...descendantsOf(berth.pid), berth.pid] : [];
  const pids = new Set([postmaster, ...childrenOf(postmaster), ...service]);
  for (const pid of pids) signalIfAlive(pid, "SIGKILL");
  while ([...pids].some(isAlive)) await pause(5);
}

async function startAgain(): Promise<void> {
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir: berth.dataDir });
}

async function answers(): Promise<boolean> {
  return await fetch(`${berth.url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Returns the database connections that stored a burst, which will store the next one. */
async function storingConnections(): Promise<number[]> {
  const before = new Map((await connections()).map((pid) => [pid, bytesWritten(pid)]));
  await undisturbed(`connections ${performance.now()}`);
  const all = await connections();
  const storing = all.filter((pid) => bytesWritten(pid) > (before.get(pid) ?? 0));
  return storing.length > 0 ? storing : all;
}

/** Returns the processes of the database's connections. */
async function connections(): Promise<number[]> {
  const all = childrenOf(await waitForPid(berth, "postgres"));
  return all.filter((pid) => /\[local\]/.test(commandOf(pid)));
}

/** Returns the bytes written to files; a connection's responses do not count. */
function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? 0);
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api, type ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { CAN_INJECT, countCalls, injectKill } from "./inject-kill.ts";
import { pointsToTry, sample } from "./points.ts";
import { newSeed } from "./seed.ts";

/**
 * Tests kills of the service at a write of a request with an `Idempotency-Key`, from the first to the last
 * write of an undisturbed request. In each case the repeated request creates exactly one object.
 */

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

const SAMPLED_POINTS = 6;
const MAX_WAIT_MS = 120_000;

/** A way to create an object with a name, and to count the objects with that name. */
interface Creation {
  send(name: string, headers: Record<string, string>): Promise<ApiResponse>;
  count(name: string): Promise<number>;
}

/** The Nth system call of one kind, during the creation of the named object. */
interface Point {
  call: string;
  point: number;
  name: string;
}

const CREATIONS: Record<string, Creation> = {
  agent: {
    send: (name, headers) => api.post("/agents", { name, model: "rehearsal/steps" }, { headers }),
    count: async (name) => countByField(await list("/agents"), "name", name),
  },
  upload: {
    send(name, headers) {
      const form = new FormData();
      form.set("file", new Blob([name]), name);
      return api.call("POST", "/files", undefined, { raw: form, headers });
    },
    count: async (name) => countByField(await list("/files"), "filename", name),
  },
};

for (const [kind, creation] of Object.entries(CREATIONS)) {
  test(`service killed at any write of a keyed ${kind} request: one object is created`, {
    timeout: 600_000,
    skip: !CAN_INJECT,
  }, async (context) => {
    const all = await countWrites(kind, creation);
    const seed = newSeed();
    const points = sample(all, pointsToTry(SAMPLED_POINTS), seed);
    let kills = 0;
    for (const point of points) if (await killAt(point, creation)) kills += 1;
    context.diagnostic(
      `${points.length} of ${all.length} crash points tried, ${kills} killed the service, seed ${seed}`,
    );
    assert.ok(all.length >= 8, `only ${all.length} crash points`);
    // A write may be a log line, or be combined with another one.
    assert.ok(kills >= points.length / 2, `only ${kills} of ${points.length} points killed the service`);
  });
}

/** Counts the writes of one creation, after another one has done everything that happens only once. */
async function countWrites(kind: string, { send }: Creation): Promise<Point[]> {
  await send(`${kind}-first`, { "idempotency-key": `${kind}-first` });
  const counting = await countCalls(berth.pid);
  await send(`${kind}-counted`, { "idempotency-key": `${kind}-counted` });
  return [...(await counting.counts())].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, n) => ({ call, point: n + 1, name: `${kind}-${call}-${n + 1}` })),
  );
}

/** Kills the service at a point. Returns false if the response arrived before the point was reached. */
async function killAt({ call, point, name }: Point, { send, count }: Creation): Promise<boolean> {
  const headers = { "idempotency-key": name };
  const tracer = await injectKill(berth.pid, point, [call]);
  const first = await send(name, headers).catch(() => null);
  await tracer.stop();
  // The log line is written after the response, so a service that was killed there may be about to end.
  const killed = first === null || !(await answers());
  if (killed) await restart();
  const again = await sendUntilAvailable(() => send(name, headers));
  assert.equal(again.status, 200, `${name}: ${JSON.stringify(again.body)}`);
  if (first !== null) assert.deepEqual(again.body, first.body, name);
  assert.equal(await count(name), 1, name);
  assert.deepEqual((await send(name, headers)).body, again.body, name);
  return killed;
}

async function answers(): Promise<boolean> {
  return await fetch(`${berth.url}/livez`).then(
    (response) => response.ok,
    () => false,
  );
}

async function restart(): Promise<void> {
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir: berth.dataDir });
  api = new Api(berth.url, api.token);
}

/** Repeats the request while the database still holds the key's lock for the killed service. */
async function sendUntilAvailable(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const response = await send();
    if (performance.now() > deadline || !response.headers.has("retry-after")) return response;
    await pause(50);
  }
}

async function list(path: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `${path}?limit=100`)).data;
}

function countByField(objects: AnyJson[], field: string, name: string): number {
  return objects.filter((object) => object[field] === name).length;
}

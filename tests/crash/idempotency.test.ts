import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api, type ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { canInject, injectKill } from "./inject-kill.ts";
import { isAlive } from "./processes.ts";

/**
 * A request with an `Idempotency-Key`, with the service killed by the kernel at the Nth of its writes, for every N until the
 * answer gets through. Whatever the point, the same request afterwards makes the one object.
 */

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

const MOST_POINTS = 40;
const LONGEST_MS = 30_000;

/** A request that makes an object of this name, and how many of that name there are. */
interface Making {
  send(name: string, headers: Record<string, string>): Promise<ApiResponse>;
  count(name: string): Promise<number>;
}

/** The Nth call of this kind, while an object of this name is made. */
interface Point {
  call: string;
  point: number;
  name: string;
}

const makings: Record<string, Making> = {
  agent: {
    send: (name, headers) => api.post("/agents", { name, model: "rehearsal/steps" }, { headers }),
    count: async (name) => named(await listed("/agents"), "name", name),
  },
  upload: {
    send(name, headers) {
      const form = new FormData();
      form.set("file", new Blob([name]), name);
      return api.call("POST", "/files", undefined, { raw: form, headers });
    },
    count: async (name) => named(await listed("/files"), "filename", name),
  },
};

for (const [kind, making] of Object.entries(makings)) {
  test(`a keyed ${kind} whose service is killed at any point is made once`, {
    timeout: 300_000,
    skip: !canInject,
  }, async (context) => {
    let cuts = 0;
    for (const call of ["write", "writev"]) {
      for (let point = 1; await cutAt({ call, point, name: `${kind}-${call}-${point}` }, making); point++) {
        cuts += 1;
        assert.ok(point < MOST_POINTS, `${point} times '${call}' is no end`);
      }
    }
    context.diagnostic(`${cuts} crash points`);
    assert.ok(cuts >= 8, `only ${cuts} crash points were met`);
  });
}

/** False when the answer got through before the point was met. */
async function cutAt({ call, point, name }: Point, { send, count }: Making): Promise<boolean> {
  const headers = { "idempotency-key": name };
  const { pid } = berth;
  const tracer = await injectKill(pid, point, [call]);
  const first = await send(name, headers).catch(() => null);
  const cut = first === null || !isAlive(pid);
  await tracer.stop();
  if (cut) await restart();
  const again = await answered(() => send(name, headers));
  assert.equal(again.status, 200, `${name}: ${JSON.stringify(again.body)}`);
  if (first !== null) assert.deepEqual(again.body, first.body, name);
  assert.equal(await count(name), 1, name);
  assert.deepEqual((await send(name, headers)).body, again.body, name);
  return cut;
}

async function restart(): Promise<void> {
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir: berth.dataDir });
  api = new Api(berth.url, api.token);
}

/** The database may not have seen yet that the service is gone. */
async function answered(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const answer = await send();
    if (performance.now() > until || !answer.headers.has("retry-after")) return answer;
    await pause(50);
  }
}

async function listed(path: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `${path}?limit=100`)).data;
}

function named(objects: AnyJson[], field: string, name: string): number {
  return objects.filter((object) => object[field] === name).length;
}

// Subject: turns are shared among organizations and users, however many sessions one of them has.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Model } from "@berth/agent";
import { createRehearsalModel } from "@berth/agent/models";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps } from "../../test-support/worker.ts";

const HOUR_MS = 3_600_000;

interface Trial {
  db: TestDatabase;
  own: Installation;
  /** Creates sessions of a new user. */
  sessionsOf(from: Seed, count: number): Promise<string[]>;
  /** Calls the real model, after it recorded the name in the message, `<name>`. */
  model: Model;
  /** Names in the order of their first requests. */
  order: string[];
  /** Promises for which requests of a name wait. */
  gates: Map<string, Promise<void>>;
}

async function trial(t: TestContext): Promise<Trial> {
  const db = await testDatabase(t);
  const order: string[] = [];
  const gates = new Map<string, Promise<void>>();
  const rehearsal = createRehearsalModel();
  return {
    db,
    own: await installation(t, db),
    order,
    gates,
    model: {
      ...rehearsal,
      async *stream(request, signal) {
        const [, name = ""] = [...JSON.stringify(request.messages).matchAll(/<(\w+)>/g)].at(-1) ?? [];
        if (!order.includes(name)) order.push(name);
        await gates.get(name);
        yield* rehearsal.stream(request, signal);
      },
    },
    async sessionsOf(from, count) {
      const ids = await Promise.all(Array.from({ length: count }, () => seedSession(db.write, from)));
      await db.write.query({
        text: "update sessions set owner_type = 'user', owner_id = $1 where id = any($2::uuid[])",
        values: [newUuid(), ids],
      });
      return ids;
    },
  };
}

const say = (name: string) => steps({ say: `<${name}>` });

test("many due sessions of one user → a turn of another user, and of another organization, is soon", async (t) => {
  const { db, own, sessionsOf, model, order } = await trial(t);
  const [one, other] = [await seed(db.write), await seed(db.write)];
  const hoard = await sessionsOf(one, 30);
  const [colleague = ""] = await sessionsOf(one, 1);
  const [stranger = ""] = await sessionsOf(other, 1);
  for (const [index, id] of hoard.entries()) await own.send(id, say(`hoard${index}`));
  await own.send(colleague, say("colleague"));
  await own.send(stranger, say("stranger"));
  await own.worker({ model: () => model, concurrency: 1, sandboxIdleMs: 0 });
  await Promise.all([...hoard, colleague, stranger].map((id) => own.until(id, (log) => idles(log) === 1)));
  assert.equal(order.length, 32, "all had their turn");
  assert.ok(order.indexOf("stranger") <= 1 && order.indexOf("colleague") <= 3, order.slice(0, 8).join(" "));
});

test("many warm sessions of one user wait for a slot → another's session is claimed, and gets the next", async (t) => {
  const { db, own, sessionsOf, model, order, gates } = await trial(t);
  const from = await seed(db.write);
  const hoard = await sessionsOf(from, 8);
  const [other = ""] = await sessionsOf(from, 1);
  await own.worker({ model: () => model, concurrency: 1, sandboxIdleMs: HOUR_MS });
  for (const id of hoard) {
    await own.send(id, steps(bash("echo")));
    await own.until(id, (log) => idles(log) === 1);
  }
  order.splice(0);
  const gate = Promise.withResolvers<void>();
  gates.set("hoard0", gate.promise);
  for (const [index, id] of hoard.entries()) await own.send(id, say(`hoard${index}`));
  await own.send(other, say("other"));
  const isClaimed = async () => {
    const text = "select 1 from sessions where id = $1 and lease_owner is not null";
    return (await db.read.query({ text, values: [other] })).rowCount === 1;
  };
  while (!(await isClaimed()));
  gate.resolve();
  await Promise.all(
    [...hoard, other].map((id) => own.until(id, (log) => idles(log) >= (id === other ? 1 : 2))),
  );
  assert.ok(order.indexOf("other") <= 2, order.join(" "));
});

for (const [concurrency, hoarded] of [
  [4, 6],
  [32, 34],
  [8, 8],
] as const)
  test(`${hoarded} requests of one organization hold all ${concurrency} slots for long → others' turns begin at once`, async (t) => {
    const { db, own, sessionsOf, model, order, gates } = await trial(t);
    const hoard = await sessionsOf(await seed(db.write), hoarded);
    const [one = ""] = await sessionsOf(await seed(db.write), 1);
    const [other = ""] = await sessionsOf(await seed(db.write), 1);
    const gate = Promise.withResolvers<void>();
    for (const index of hoard.keys()) gates.set(`hoard${index}`, gate.promise);
    await own.worker({ model: () => model, concurrency });
    for (const [index, id] of hoard.entries()) await own.send(id, say(`hoard${index}`));
    while (order.length < concurrency) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const [index, id] of [one, other].entries()) {
      await own.send(id, say(`other${index}`));
      await own.until(id, (log) => idles(log) === 1);
    }
    assert.ok(order.filter((name) => name.startsWith("hoard")).length <= concurrency, order.join(" "));
    gate.resolve();
    await Promise.all(hoard.map((id) => own.until(id, (log) => idles(log) === 1)));
  });

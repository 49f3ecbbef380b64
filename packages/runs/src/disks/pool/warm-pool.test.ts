import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { newUuid } from "@berth/contract";
import { silentLog, type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { MadeSandboxes, PLAIN, shapeOf } from "../../../test-support/warm.ts";
import { assignDisk } from "../disk-store.ts";
import { addDisk, holdPool, markReady } from "./pool-store.ts";
import { WarmPool, type WarmPoolDeps } from "./warm-pool.ts";

const PLACE = "kubernetes:here";

class Cluster extends MadeSandboxes {
  readonly db: TestDatabase;
  readonly #pools: WarmPool[];

  private constructor(db: TestDatabase, pools: WarmPool[]) {
    super();
    this.db = db;
    this.#pools = pools;
  }

  static async open(t: TestContext): Promise<Cluster> {
    const pools: WarmPool[] = [];
    // The pools must be closed before the database.
    t.after(() => Promise.all(pools.map((pool) => pool.close())));
    return new Cluster(await testDatabase(t), pools);
  }

  runner(deps: Partial<WarmPoolDeps> = {}): WarmPool {
    const pool = new WarmPool({
      ...{ db: this.db.write, log: silentLog, warm: this, disks: this, size: 2, defaultShape: PLAIN },
      ...{ place: PLACE, hostId: newUuid(), owner: newUuid(), roundMs: 100 },
      ...deps,
    });
    this.#pools.push(pool);
    return pool;
  }

  /** Returns the ready disks of the pool, in the order of their making. */
  async ready(): Promise<{ name: string; key: string }[]> {
    const text = "select name, key from warm_disks where state = 'ready' order by changed_at";
    const { rows } = await this.db.read.query<{ name: string; key: string }>({ text });
    return rows.filter(({ name }) => this.made.get(name) === true);
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = AbortSignal.timeout(60_000);
    while (!(await isSo())) await delay(10, undefined, { signal: deadline });
  }

  /** Resolves once the ready disks have these keys, and all other disks are those of sessions. */
  async is(...keys: string[]): Promise<void> {
    await this.until(async () => {
      const ready = await this.ready();
      const isDone = this.made.size === ready.length + this.taken.size;
      return isDone && JSON.stringify(ready.map(({ key }) => key).sort()) === JSON.stringify(keys.sort());
    });
  }

  /** Disks that sessions have. */
  readonly taken = new Set<string>();

  /** Assigns a disk to a new session. Returns its name, or null when it is not from the pool. */
  async take(image: string | null = null): Promise<string | null> {
    const shape = { ...PLAIN, image };
    const lease = await seedLease(
      this.db.write,
      await seedSession(this.db.write, await seed(this.db.write)),
      "me",
    );
    const { disk } = await assignDisk(this.db.write, lease, PLACE, { key: this.keyOf(shape) ?? "", shape });
    if (disk !== null) this.taken.add(disk);
    return disk;
  }
}

test("WarmPool: two runners together have as many as the settings say, also after one was taken", async (t) => {
  const cluster = await Cluster.open(t);
  let [running, most] = [0, 0];
  cluster.making = async () => {
    running += 1;
    most = Math.max(most, running);
    await delay(5);
    running -= 1;
  };
  const [one, other] = [cluster.runner(), cluster.runner()];
  await cluster.is("plain", "plain");
  assert.equal(one.ready + other.ready <= 2, true);
  const before = (await cluster.ready()).map(({ name }) => name);
  assert.equal(await cluster.take(), before[0], "the oldest");
  await cluster.is("plain", "plain");
  assert.equal((await cluster.ready())[0]?.name, before[1]);
  assert.equal(most, 1, "one after another");
  await one.close();
  assert.equal(await cluster.take(), before[1]);
  await cluster.is("plain", "plain");
});

test("WarmPool: it follows the shapes of the sessions that begin, and goes when the settings want none", async (t) => {
  const cluster = await Cluster.open(t);
  const pool = cluster.runner();
  await cluster.is("plain", "plain");
  assert.equal(await cluster.take("a"), null, "of another shape");
  await cluster.is("a", "a");
  assert.deepEqual(pool.wish({ ...PLAIN, files: [] }), { key: "plain", shape: PLAIN });
  await pool.close();
  const none = cluster.runner({ size: 0 });
  await cluster.is();
  assert.equal(none.wish({ ...PLAIN, files: [] }), null);
});

test("WarmPool: what does not serve, was half made or cannot be made is removed, and others take its place", async (t) => {
  const cluster = await Cluster.open(t);
  const dead = { place: PLACE, keeper: "dead" };
  assert.ok(await holdPool(cluster.db.write, dead, 300));
  const [half, whole] = [
    await addDisk(cluster.db.write, dead, "plain"),
    await addDisk(cluster.db.write, dead, "plain"),
  ];
  assert.ok(half !== null && whole !== null);
  cluster.made.set(half.name, true).set(whole.name, true);
  await markReady(cluster.db.write, whole.name);
  let failures = 1;
  cluster.making = async ({ name }) => {
    cluster.made.set(name, false);
    if (failures-- > 0) throw new Error("no quota");
  };
  cluster.runner({ size: 1 });
  await cluster.is("plain");
  assert.equal((await cluster.ready())[0]?.name, whole.name, "the dead runner's is as good");
  cluster.made.set(whole.name, false);
  await cluster.until(async () => cluster.made.size === 0 && failures === 0);
  assert.equal(await cluster.take("a"), null);
  await cluster.is("a");
});

test("WarmPool: one makes room for a session that finds none, and nobody makes another for two rounds", async (t) => {
  const cluster = await Cluster.open(t);
  const [one] = [cluster.runner(), cluster.runner()];
  await cluster.is("plain", "plain");
  const [oldest, other] = await cluster.ready();
  const began = performance.now();
  let made: number | undefined;
  cluster.making = async () => {
    made ??= performance.now();
  };
  await one?.makeRoom();
  assert.deepEqual(await cluster.ready(), [other]);
  assert.equal(cluster.made.has(oldest?.name ?? ""), false, "its disk is gone");
  await cluster.is("plain", "plain");
  assert.ok((made ?? 0) - began >= 200);
});

test("WarmPool: none is made while a session waits for its own, nor by a runner that drains", async (t) => {
  const cluster = await Cluster.open(t);
  const waiting = Promise.withResolvers<void>();
  const drained = newUuid();
  await cluster.db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role, draining) values ($1, $2, '', '{}', 1, $1, 'all', true)`,
    values: [drained, PLACE],
  });
  await cluster.db.write.query({ text: "update hosts set seen_at = now() - interval '1 hour'" });
  cluster.runner({ hostId: drained });
  const pool = cluster.runner();
  const opening = pool.before(() => waiting.promise);
  const text = "select count(*)::integer as rounds from warm_pools";
  await cluster.until(
    async () => (await cluster.db.read.query<{ rounds: number }>({ text })).rows[0]?.rounds === 1,
  );
  await delay(300);
  assert.ok(cluster.made.size <= 1, "at most one that began before");
  waiting.resolve();
  await opening;
  await cluster.is("plain", "plain");
  assert.equal(cluster.keyOf(shapeOf("unknown")), null);
});

test("WarmPool: a session that waits for its image keeps it from nothing, and one that goes on keeps it again", async (t) => {
  const cluster = await Cluster.open(t);
  const pool = cluster.runner();
  const waiting = Promise.withResolvers<void>();
  const resting = Promise.withResolvers<(isResting: boolean) => void>();
  const opening = pool.before((rests) => {
    resting.resolve(rests);
    rests(true);
    rests(true);
    return waiting.promise;
  });
  await cluster.is("plain", "plain");
  (await resting.promise)(false);
  await cluster.take();
  await delay(300);
  assert.ok((await cluster.ready()).length <= 1);
  waiting.resolve();
  await opening;
  await cluster.is("plain", "plain");
});

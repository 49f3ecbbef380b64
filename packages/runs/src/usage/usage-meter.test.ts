import assert from "node:assert/strict";
import { test } from "node:test";
import { diskBytes, sandboxSecondsToday } from "@berth/api/test-support/internals/features";
import { newUuid } from "@berth/contract";
import { openAsProcesses, silentLog, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { UsageMeter } from "./usage-meter.ts";
import { addSandboxSeconds } from "./usage-store.ts";

test("open sandboxes count by owner until they close, each second once, also when the database was away", async (t) => {
  const db = await testDatabase(t);
  const { organizationId, ...from } = await seed(db.write);
  const [one, two] = [
    await seedSession(db.write, { organizationId, ...from }),
    await seedSession(db.write, { organizationId, ...from }),
  ];
  await db.write.query({ text: "update sessions set home = 'here'" });
  const user = newUuid();
  let now = 0;
  let isAway = false;
  const write = {
    query: (statement: Parameters<typeof db.write.query>[0]) => {
      if (isAway) throw new Error("away");
      return db.write.query<never>(statement);
    },
  };
  const bytes = new Map([
    ["/one", 1_000],
    ["/two", 200],
  ]);
  const parts = { db: { write }, log: silentLog, diskBytes: async (path: string) => bytes.get(path) ?? null };
  const meter = new UsageMeter(parts, () => now);
  t.after(() => meter.close());
  const closeOne = meter.opened({ sessionId: one, organizationId, ownerId: user, diskPath: "/one" });
  now += 10_000;
  meter.opened({ sessionId: two, organizationId, ownerId: organizationId, diskPath: "/two" });
  await meter.flush();
  now += 5_000;
  isAway = true;
  await meter.flush();
  isAway = false;
  closeOne();
  closeOne();
  now += 1_000;
  await meter.flush();
  await meter.flush();
  const seconds = async (kind: "user" | "organization", id: string) =>
    (await sandboxSecondsToday(db.read, { kind, id })).seconds;
  assert.equal(await seconds("user", user), 15);
  assert.equal(await seconds("organization", organizationId), 21);
  assert.equal(await diskBytes(db.read, { kind: "organization", id: organizationId }), 1_200);
  await db.write.query({ text: "update sandbox_usage set day = day - 1" });
  assert.equal(await seconds("user", user), 0);
});

test("the size of a disk that could not be stored is stored with the next flush, though its sandbox is closed", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const { organizationId } = from;
  const sessionId = await seedSession(db.write, from);
  await db.write.query({ text: "update sessions set home = 'here'" });
  for (const away of ["all", "disks"]) {
    let isAway = true;
    const write = {
      query: (statement: Parameters<typeof db.write.query>[0]) => {
        if (isAway && (away === "all" || JSON.stringify(statement).includes("disk_usage")))
          throw new Error("away");
        return db.write.query<never>(statement);
      },
    };
    const bytes = away === "all" ? 300 : 700;
    const meter = new UsageMeter({ db: { write }, log: silentLog, diskBytes: async () => bytes }, () => 0);
    t.after(() => meter.close());
    meter.opened({ sessionId, organizationId, ownerId: organizationId, diskPath: "/one" })();
    await meter.flush();
    isAway = false;
    await meter.flush();
    assert.equal(await diskBytes(db.read, { kind: "organization", id: organizationId }), bytes);
  }
});

test("what many processes add at the same moment is counted whole", async (t) => {
  const db = await testDatabase(t);
  const processes = openAsProcesses(t, db, 6);
  const { organizationId } = await seed(db.write);
  const users = Array.from({ length: 8 }, newUuid);
  await Promise.all(
    processes.flatMap(({ write }, process) =>
      Array.from({ length: 5 }, async () => {
        const turned = [...users.slice(process), ...users.slice(0, process)];
        await addSandboxSeconds(
          write,
          turned.map((ownerId) => ({ organizationId, ownerId, seconds: 2 })),
        );
      }),
    ),
  );
  const used = async (kind: "user" | "organization", id: string) =>
    (await sandboxSecondsToday(db.read, { kind, id })).seconds;
  for (const id of users) assert.equal(await used("user", id), 60);
  assert.equal(await used("organization", organizationId), 480);
});

// Subject: many small outputs, which are read by one command and stored in batches.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LeaseLost } from "@berth/agent";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { diskStore, s3Store } from "@berth/store/test-support/blob-stores";
import { seedLease } from "@berth/store/test-support/runs";
import { testOutputs } from "../../test-support/outputs.ts";
import { GROUP_BYTES } from "./group-outputs.ts";

const MANY = 70;
const STORES = { "a directory": diskStore, S3: s3Store } as const;

/** Makes files 1 to `count`, each containing its number. */
const numbered = (count: number) => `for n in $(seq ${count}); do printf $n >$n; done`;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index + 1}:${index + 1}`).toSorted();

/** Wraps the database so that it calls `before` and `after` each transaction with its number, from 1. */
function watched(
  db: DatabaseAccess,
  calls: { before?(nth: number, tx: Queryable): Promise<void>; after?(nth: number): Promise<void> },
): DatabaseAccess & { transactions: number } {
  const access = {
    ...db,
    transactions: 0,
    async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
      const nth = ++access.transactions;
      const result = await db.transaction(async (tx) => {
        const done = await work(tx);
        await calls.before?.(nth, tx);
        return done;
      });
      await calls.after?.(nth);
      return result;
    },
  };
  return access;
}

for (const [name, open] of Object.entries(STORES))
  describe(`outputs into ${name}`, () => {
    test("many small ones → one command and a transaction for some of them; empty, large and equal ones too", async (t) => {
      const { db, blobs, sh, session, commands } = await testOutputs(t, open);
      const { collect, saved } = await session();
      await sh(`${numbered(MANY)}; : >empty; printf 7 >seven; head -c ${GROUP_BYTES + 1} /dev/zero >large`);
      const access = watched(db, {});
      assert.deepEqual(await collect({ db: access }), { state: "whole", faults: [] });
      const large = `large:${"\0".repeat(GROUP_BYTES + 1)}`;
      assert.deepEqual(await saved(), [...numbers(MANY), "empty:", "seven:7", large].toSorted());
      assert.equal(access.transactions, 4, "three of small ones, and that of the large one");
      assert.equal(commands.length, 4, "the listing, all small ones, and two parts of the large one");
      assert.equal((await namesOf(blobs)).length, MANY + 2, "equal contents are stored once");
    });

    test("touched ones and one that changed → only that is a new file", async (t) => {
      const { db, sh, session } = await testOutputs(t, open);
      const { collect, saved } = await session();
      await sh(numbered(MANY));
      await collect();
      await sh("touch *; printf changed >9; rm 10; cp 11 copy");
      const access = watched(db, {});
      assert.deepEqual(await collect({ db: access }), { state: "whole", faults: [] });
      assert.deepEqual(await saved(), [...numbers(MANY), "9:changed", "copy:11"].toSorted());
    });

    test("killed before or after any transaction is committed → the next run stores each file once", async (t) => {
      const { db, sh, session } = await testOutputs(t, open);
      await sh(numbered(MANY));
      const dies = async () => {
        throw new Error("the process is dead");
      };
      for (const nth of [1, 2, 3])
        for (const when of ["before", "after"] as const) {
          const { collect, saved, claim } = await session();
          const dying = watched(db, { [when]: async (at: number) => void (at === nth && (await dies())) });
          await assert.rejects(collect({ db: dying }), /dead/);
          const stored = (await saved()).length;
          assert.equal(stored, Math.min(MANY, 32 * (nth - (when === "before" ? 1 : 0))), `${when} ${nth}`);
          await claim();
          assert.equal((await collect()).state, "whole");
          assert.deepEqual(await saved(), numbers(MANY), `${when} ${nth}`);
        }
    });

    test("the store of contents fails in a group → the groups before it are stored, and nothing of it", async (t) => {
      const { blobs, sh, session } = await testOutputs(t, open);
      const { collect, saved } = await session();
      await sh(numbered(MANY));
      let groups = 0;
      const storeAll: typeof blobs.storeAll = async (contents) => {
        await blobs.storeAll(contents);
        if (++groups === 2) throw new Error("no room");
      };
      await assert.rejects(collect({ blobs: { ...blobs, storeAll } }), /no room/);
      assert.equal((await saved()).length, 32);
      await collect();
      assert.deepEqual(await saved(), numbers(MANY));
    });
  });

async function namesOf({ names }: BlobStore): Promise<string[]> {
  const all: string[] = [];
  for await (const some of names()) all.push(...some);
  return all;
}

describe("outputs in groups", () => {
  for (const [when, nth] of [
    ["before the first group is", 1],
    ["between groups", 2],
  ] as const)
    test(`the lease is lost ${when} stored → nothing more is stored`, async (t) => {
      const { db, sh, session } = await testOutputs(t);
      const { id, collect, saved, claim } = await session();
      await sh(numbered(MANY));
      const losing: DatabaseAccess = {
        ...db,
        transaction: (work) =>
          db.transaction(async (tx) => {
            if (++begun === nth) await seedLease(db.write, id, "another");
            return await work(tx);
          }),
      };
      let begun = 0;
      await assert.rejects(collect({ db: losing }), LeaseLost);
      assert.equal(begun, nth);
      assert.equal((await saved()).length, 32 * (nth - 1));
      await claim();
      await collect();
      assert.deepEqual(await saved(), numbers(MANY));
    });

  test("the time is over between groups → what is stored stays, and the rest is for the next look", async (t) => {
    const { db, sh, session } = await testOutputs(t);
    const { collect, saved } = await session();
    await sh(numbered(MANY));
    const over = new AbortController();
    const slow = watched(db, { after: async () => over.abort() });
    assert.deepEqual(await collect({ db: slow, signal: over.signal }), { state: "cut", faults: [] });
    assert.equal((await saved()).length, 32);
    assert.deepEqual(await collect(), { state: "whole", faults: [] });
    assert.deepEqual(await saved(), numbers(MANY));
  });

  test("the session was terminated → nothing is stored", async (t) => {
    const { db, sh, session } = await testOutputs(t);
    const { id, collect, saved } = await session();
    await sh(numbered(3));
    await db.write.query({ text: "update sessions set terminated_at = now() where id = $1", values: [id] });
    await assert.rejects(collect(), LeaseLost);
    assert.deepEqual(await saved(), []);
  });

  test("one that cannot be read among many → it alone is left, reported, and taken once it can be read", async (t) => {
    const { sh, session } = await testOutputs(t);
    const { collect, saved } = await session();
    await sh(`${numbered(MANY)}; chmod 0 33`);
    assert.deepEqual(await collect(), { state: "partial", faults: ["'33' could not be read"] });
    assert.deepEqual(
      await saved(),
      numbers(MANY).filter((file) => file !== "33:33"),
    );
    await sh("chmod 600 33");
    assert.deepEqual(await collect(), { state: "whole", faults: [] });
    assert.deepEqual(await saved(), numbers(MANY));
  });

  test("two sessions with the same contents at the same time → each has its files", async (t) => {
    const { sh, session } = await testOutputs(t);
    const sessions = await Promise.all([session(), session(), session()]);
    await sh(numbered(MANY));
    await Promise.all(sessions.map(({ collect }) => collect()));
    for (const { saved } of sessions) assert.deepEqual(await saved(), numbers(MANY));
  });
});

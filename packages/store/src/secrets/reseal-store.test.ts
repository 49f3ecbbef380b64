import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import { countKeys, reseal } from "./reseal-store.ts";
import type { SecretLocation } from "./sealed-columns.ts";
import { SecretBox } from "./secret-box.ts";

const [former, active, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];

interface Kept {
  place: SecretLocation;
  secret: string;
}

/** Creates a thousand kept responses and some repositories, sealed with the former key. */
async function filled(t: TestContext): Promise<{ db: TestDatabase; kept: Kept[] }> {
  const db = await testDatabase(t);
  const box = new SecretBox(former);
  const [principal, sessionId] = [newUuid(), await seedSession(db.write, await seed(db.write))];
  const answers = Array.from({ length: 1_001 }, (_, index): Kept => {
    const row = `${principal} key-${index}`;
    return { place: { table: "idempotency_keys", row, column: "answer" }, secret: `answer ${index}` };
  });
  await db.write.query({
    text: `insert into idempotency_keys (token_id, key, status, answer)
      select $1::uuid, split_part(row, ' ', 2), 200, answer from unnest($2::text[], $3::bytea[]) as kept (row, answer)`,
    values: [
      principal,
      answers.map(({ place }) => place.row),
      answers.map((one) => box.seal(one.place, one.secret)),
    ],
  });
  const repositories = [newUuid(), newUuid(), newUuid()].map((row, index): Kept => {
    return { place: { table: "session_resources", row, column: "secret" }, secret: `token ${index}` };
  });
  for (const { place, secret } of repositories) {
    const envelope = secret === "token 2" ? null : box.seal(place, secret);
    await db.write.query({
      text: `insert into session_resources (id, session_id, type, url, secret, mount_path)
        values ($1, $2, 'hosted_repository', 'https://github.com/a/b', $3, $4)`,
      values: [place.row, sessionId, envelope, `/data/${place.row}`],
    });
  }
  return { db, kept: [...repositories.slice(0, 2), ...answers] };
}

async function unknown(db: TestDatabase, keys: readonly Uint8Array[]): Promise<number> {
  return (await countKeys(db.read, keys)).unknown;
}

async function envelopes(db: TestDatabase): Promise<Map<string, Buffer>> {
  const { rows } = await db.read.query<{ row: string; envelope: Buffer }>({
    text: `select id::text as row, secret as envelope from session_resources where secret is not null
      union all select token_id || ' ' || key, answer from idempotency_keys`,
  });
  return new Map(rows.map(({ row, envelope }) => [row, envelope]));
}

async function allOpen(db: TestDatabase, box: SecretBox, kept: readonly Kept[]): Promise<void> {
  const found = await envelopes(db);
  assert.equal(found.size, kept.length);
  for (const { place, secret } of kept) {
    assert.equal(box.open(place, found.get(place.row) ?? Buffer.alloc(0)), secret);
  }
}

/** Returns a database whose transactions fail from the third on, as if the process had died. */
function dying(db: DatabaseAccess): DatabaseAccess {
  let count = 0;
  return {
    ...db,
    transaction: async (work) => {
      count += 1;
      if (count > 2) throw new Error("killed");
      return await db.transaction(work);
    },
  };
}

describe("reseal", () => {
  test("every secret is kept, and only the new key decrypts it", async (t) => {
    const { db, kept } = await filled(t);
    assert.equal(await reseal(db, { active, former }), kept.length);
    await allOpen(db, new SecretBox(active), kept);
    await assert.rejects(allOpen(db, new SecretBox(former), kept), /another key/);
    assert.equal(await reseal(db, { active, former }), 0, "nothing is left to do");
    assert.equal(await unknown(db, [active]), 0);
  });

  test("interrupted → both keys together decrypt everything, and the next run resumes", async (t) => {
    const { db, kept } = await filled(t);
    await assert.rejects(reseal(dying(db), { active, former }), /killed/);
    await allOpen(db, new SecretBox(active, { formerKey: former }), kept);
    const rest = await unknown(db, [active]);
    assert.ok(rest > 0 && rest < kept.length, `${rest}`);
    assert.equal(await reseal(db, { active, former }), rest);
    await allOpen(db, new SecretBox(active), kept);
  });

  test("wrong former key → an error, nothing is changed", async (t) => {
    const { db, kept } = await filled(t);
    const before = await envelopes(db);
    assert.equal(await unknown(db, [active, other]), kept.length);
    await assert.rejects(reseal(db, { active, former: other }), { name: "UnopenedSecret" });
    assert.deepEqual(await envelopes(db), before);
  });
});

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "../../../test-support/database.ts";
import { seed, seedLease, seedSession } from "../../../test-support/runs.ts";
import { markAllAbsent, readResources } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import { claimMirror, deleteMirror, markMirrored } from "./mirror-store.ts";
import { evictTemplates, sweepTemplates } from "./sweep-snapshots.ts";
import { diskOf, shareOf, type TemplateKind, type TemplateRoom } from "./snapshot-directory.ts";
import {
  claimTemplate,
  deleteTemplate,
  hasAnyTemplate,
  insertTemplate,
  leaveTemplate,
} from "./snapshot-store.ts";

const URL = "https://git.example.com/acme/widget";
const main = { checkout: "branch main", refsDigest: "now" };

interface Stand {
  db: TestDatabase;
  room: TemplateRoom;
  underWay: Set<string>;
  /** A session of a new organization, or of one that is given, with the repository. */
  session(from?: Awaited<ReturnType<typeof seed>>): Promise<{ lease: Lease; resource: string }>;
  /** A template of the session's organization, with a directory. */
  template(
    lease: Lease,
    what?: { checkout?: string; refsDigest?: string; bytes?: number; daysAgo?: number },
  ): Promise<string>;
  keep(limits?: { mostBytes?: number; mostDays?: number }): Parameters<typeof evictTemplates>[0];
  isThere(kind: TemplateKind, id: string): boolean;
}

async function stand(t: TestContext): Promise<Stand> {
  const db = await testDatabase(t);
  const directory = mkdtempSync(join(tmpdir(), "templates-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const room = { directory, host: "here" };
  const underWay = new Set<string>();
  return {
    db,
    room,
    underWay,
    async session(from) {
      const id = await seedSession(db.write, from ?? (await seed(db.write)));
      const resource = newUuid();
      await db.write.query({
        text: `insert into session_resources (id, session_id, type, url, mount_path) values ($1, $2, 'git_repository', $3, '/data/widget')`,
        values: [resource, id, URL],
      });
      return { lease: await seedLease(db.write, id, "me"), resource };
    },
    async template(
      lease,
      { checkout = main.checkout, refsDigest = main.refsDigest, bytes = 100, daysAgo = 0 } = {},
    ) {
      const mirror = await claimMirror(db.write, lease.sessionId, room.host, URL);
      assert.ok(mirror);
      const id = newUuid();
      const row = { id, mirrorId: mirror.id, checkout, refsDigest, commit: "1".repeat(40), bytes };
      await insertTemplate(db.write, row);
      await db.write.query({
        text: "update repository_templates set used_at = now() - $2 * interval '1 day' where id = $1",
        values: [id, daysAgo],
      });
      mkdirSync(diskOf(room, "templates", id), { recursive: true });
      mkdirSync(diskOf(room, "mirrors", mirror.id), { recursive: true });
      return id;
    },
    keep: ({ mostBytes = 10_000, mostDays = 14 } = {}) => ({
      db,
      room,
      mostBytes,
      mostDays,
      isUnderWay: (id) => underWay.has(id),
    }),
    isThere: (kind, id) => existsSync(diskOf(room, kind, id)),
  };
}

const never = new AbortController().signal;
const wish = { host: "here", ...main };

test("the template that fits is claimed, else the nearest, and none of another machine", async (t) => {
  const { db, session, template } = await stand(t);
  const { lease, resource } = await session();
  assert.equal(await claimTemplate(db.write, lease, resource, wish), null);
  const side = await template(lease, { checkout: "branch side" });
  assert.deepEqual(await claimTemplate(db.write, lease, resource, wish), {
    ...(await claimTemplate(db.write, lease, resource, wish)),
    id: side,
    fits: false,
  });
  const old = await template(lease, { refsDigest: "then" });
  await template(lease, { checkout: "branch side", refsDigest: "later" });
  assert.equal((await claimTemplate(db.write, lease, resource, wish))?.id, old);
  const fitting = await template(lease);
  await template(lease, { refsDigest: "later" });
  const claimed = await claimTemplate(db.write, lease, resource, wish);
  assert.deepEqual([claimed?.id, claimed?.fits], [fitting, true]);
  assert.equal(await claimTemplate(db.write, lease, resource, { ...wish, host: "there" }), null);
  assert.equal(await hasAnyTemplate(db.read, lease.sessionId, "there", URL), false);
});

test("no organization is given what another's sessions had made, whatever the url", async (t) => {
  const { db, session, template } = await stand(t);
  const [own, other] = [await session(), await session()];
  const id = await template(own.lease);
  assert.equal(await hasAnyTemplate(db.read, other.lease.sessionId, "here", URL), false);
  assert.equal(await claimTemplate(db.write, other.lease, other.resource, wish), null);
  assert.equal(await claimTemplate(db.write, own.lease, other.resource, wish), null, "another's resource");
  assert.equal((await claimTemplate(db.write, own.lease, own.resource, wish))?.id, id);
  const mirrors = [own, other].map(({ lease }) => claimMirror(db.write, lease.sessionId, "here", URL));
  const [first, second] = await Promise.all(mirrors);
  assert.notEqual(first?.id, second?.id);
  assert.notEqual(first?.uid, second?.uid);
});

test("a lease that is gone claims nothing and leaves nothing", async (t) => {
  const { db, session, template } = await stand(t);
  const { lease, resource } = await session();
  const id = await template(lease);
  const gone = { ...lease, epoch: lease.epoch - 1 };
  assert.equal(await claimTemplate(db.write, gone, resource, wish), null);
  await claimTemplate(db.write, lease, resource, wish);
  await leaveTemplate(db.write, gone, resource);
  assert.equal(await deleteTemplate(db.write, id), false);
});

test("a template is deleted only when no disk shows it, and a mirror when there is none of it", async (t) => {
  const { db, session, template, keep, isThere } = await stand(t);
  const { lease, resource } = await session();
  const id = await template(lease);
  await claimTemplate(db.write, lease, resource, wish);
  const [claimed] = await readResources(db.write, lease.sessionId);
  assert.equal(claimed?.type === "git_repository" && claimed.template?.id, id);
  const nothing = keep({ mostBytes: 0, mostDays: 0 });
  await sweepTemplates(nothing, never);
  assert.ok(isThere("templates", id));
  await markAllAbsent(db.write, lease);
  const mirror = await claimMirror(db.write, lease.sessionId, "here", URL);
  assert.equal(await deleteMirror(db.write, mirror?.id ?? ""), false);
  await sweepTemplates(nothing, never);
  assert.deepEqual([isThere("templates", id), isThere("mirrors", mirror?.id ?? "")], [false, false]);
  assert.equal(await hasAnyTemplate(db.read, lease.sessionId, "here", URL), false);
});

test("claims and deletions at once: each template that was claimed stays, each other goes", async (t) => {
  const { db, session, template } = await stand(t);
  const from = await seed(db.write);
  const sessions = await Promise.all(Array.from({ length: 12 }, () => session(from)));
  for (let round = 0; round < 8; round++) {
    const [first] = sessions;
    assert.ok(first);
    const id = await template(first.lease);
    const claims = sessions.map(({ lease, resource }) => claimTemplate(db.write, lease, resource, wish));
    const deleted = deleteTemplate(db.write, id);
    const claimed = (await Promise.allSettled(claims)).map(
      (each) => each.status === "fulfilled" && each.value?.id,
    );
    const some = claimed.some((each) => each === id);
    assert.equal(await deleted, !some, JSON.stringify(claimed));
    for (const { lease } of sessions) await markAllAbsent(db.write, lease);
    await deleteTemplate(db.write, id);
  }
});

test("the older of one checkout goes, what was not used for long goes, and the longest unused when there is no room", async (t) => {
  const { db, session, template, keep, isThere } = await stand(t);
  const { lease, resource } = await session();
  const [used, old] = [
    await template(lease, { refsDigest: "used" }),
    await template(lease, { refsDigest: "old" }),
  ];
  await claimTemplate(db.write, lease, resource, { ...wish, refsDigest: "used" });
  const present = await template(lease);
  const forgotten = await template(lease, { checkout: "branch side", daysAgo: 15 });
  await evictTemplates(keep());
  const there = (...ids: string[]) => ids.map((id) => isThere("templates", id));
  assert.deepEqual(there(used, old, present, forgotten), [true, false, true, false]);

  const [b, a] = [
    await template(lease, { checkout: "branch b", daysAgo: 2 }),
    await template(lease, { checkout: "branch a", daysAgo: 3 }),
  ];
  await evictTemplates(keep({ mostBytes: 300 }));
  assert.deepEqual(there(used, present, a, b), [true, true, false, true]);
  const mirror = await claimMirror(db.write, lease.sessionId, "here", URL);
  await markMirrored(db.write, mirror?.id ?? "", 1000);
  await evictTemplates(keep({ mostBytes: 300 }));
  assert.deepEqual(there(used, present, b), [true, false, false]);
  assert.ok(isThere("mirrors", mirror?.id ?? ""), "its template is shown");
});

test("directories without a row go unless they are being made, and rows without a directory too", async (t) => {
  const { db, room, session, template, keep, isThere, underWay } = await stand(t);
  const { lease } = await session();
  const [lost, kept] = [await template(lease), await template(lease, { checkout: "branch side" })];
  rmSync(diskOf(room, "templates", lost), { recursive: true });
  const [half, making, mirror] = [newUuid(), newUuid(), newUuid()];
  for (const id of [half, making]) mkdirSync(diskOf(room, "templates", id));
  mkdirSync(diskOf(room, "mirrors", mirror));
  mkdirSync(`${diskOf(room, "templates", newUuid())}.00112233.deleted/data`, { recursive: true });
  underWay.add(making);
  await sweepTemplates(keep(), never);
  assert.deepEqual(
    [half, making, kept].map((id) => isThere("templates", id)),
    [false, true, true],
  );
  assert.ok(!isThere("mirrors", mirror));
  const { rows } = await db.read.query<{ id: string }>({ text: "select id from repository_templates" });
  assert.deepEqual(rows, [{ id: kept }]);
});

test("a mirror's number is no other's when they have all been given out once, and one that is used takes none", async (t) => {
  const { db, session } = await stand(t);
  const { lease } = await session();
  const claim = (url: string) => claimMirror(db.write, lease.sessionId, "here", url);
  const first = await claim(URL);
  const second = await claim(`${URL}-2`);
  assert.ok(first && second);
  const next = async () =>
    Number(
      (await db.write.query<{ last_value: string }>({ text: "select last_value from repository_uids" }))
        .rows[0]?.last_value,
    );
  assert.deepEqual([await claim(URL), await next()], [first, second.uid]);
  await db.write.query({ text: "select setval('repository_uids', $1, false)", values: [first.uid] });
  const third = await claim(`${URL}-3`);
  assert.equal(third?.uid, second.uid + 1);
});

test("an organization that names ever other repositories leaves numbers to the others", async (t) => {
  const { db, session } = await stand(t);
  const [own, other] = [await session(), await session()];
  const claim = (of: typeof own, url: string) => claimMirror(db.write, of.lease.sessionId, "here", url);
  assert.ok(await claim(own, URL));
  await db.write.query({
    text: `insert into repository_mirrors (id, organization_id, host, url, uid)
      select gen_random_uuid(), organization_id, host, url || number, nextval('repository_uids')
      from repository_mirrors, generate_series(2, 512) as number`,
  });
  assert.equal(await claim(own, `${URL}-another`), null);
  assert.ok(await claim(own, URL));
  assert.ok(await claim(other, `${URL}-another`));
});

test("one may take a quarter of what all may, and an eighth of what the machine has left", () => {
  const left = { bavail: 1_000, bsize: 4_096, files: 100, ffree: 80 };
  assert.deepEqual(shareOf(40_960, left), { mostBytes: 10_240, mostFiles: 10 });
  assert.deepEqual(shareOf(2 ** 40, left), { mostBytes: 512_000, mostFiles: 10 });
  assert.deepEqual(shareOf(40_960, { ...left, files: 0, ffree: 0 }).mostFiles, 1_000_000);
});

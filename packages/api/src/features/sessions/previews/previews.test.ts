import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_SESSION_PREVIEWS } from "@berth/contract";
import { type Caller, testApp, type Wire } from "../../../../test-support/http.ts";
import { deleteExpiredPreviews } from "./preview-store.ts";

const HOUR_MS = 3_600_000;

async function aSession(owner: Caller): Promise<Wire> {
  const agent = await owner.made("/agents", { name: "example", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: `${Math.random()}` });
  return await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
}

test("previews: made, listed, read and deleted, each with an address of its own", async (t) => {
  const { caller } = await testApp(t);
  const owner = await caller();
  const { id } = await aSession(owner);
  const path = `/sessions/${id}/previews`;
  const first = await owner.made(path, { port: 5173 });
  const second = await owner.made(path, { port: 5173, expires_in_seconds: 60 });
  assert.deepEqual(
    { ...first, id: "", url: "", created_by: first.created_by.type, created_at: "", expires_at: "" },
    {
      ...{ id: "", type: "preview", session_id: id, port: 5173, url: "" },
      ...{ created_by: "user", created_at: "", expires_at: "" },
    },
  );
  assert.match(first.id, /^prv_/);
  assert.match(first.url, /^http:\/\/[a-z2-7]{26}\.localhost\/\.berth\/enter#[\w-]{43}$/);
  assert.notEqual(new URL(first.url).host, new URL(second.url).host);
  const lifetime = (one: Wire) => Date.parse(one.expires_at) - Date.parse(one.created_at);
  assert.ok(Math.abs(lifetime(first) - 8 * HOUR_MS) < 60_000, first.expires_at);
  assert.ok(lifetime(second) < 2 * 60_000, second.expires_at);
  assert.deepEqual((await owner.get(path)).body.data, [second, first]);
  assert.deepEqual((await owner.get(`${path}/${first.id}`)).body, first);
  assert.equal((await owner.get(path)).headers["cache-control"], "no-store");
  const deleted = await owner.delete(`${path}/${first.id}`);
  assert.deepEqual(deleted.body, { id: first.id, type: "preview_deleted" });
  assert.deepEqual((await owner.get(path)).body.data, [second]);
  for (const reply of [await owner.get(`${path}/${first.id}`), await owner.delete(`${path}/${first.id}`)])
    assert.equal(reply.status, 404);
});

test("previews: where they are, and for how long, is the operator's", async (t) => {
  const previewUrl = "https://*.previews.example.com:8443";
  const { caller } = await testApp(t, { previewUrl, previewMaxSeconds: 120 });
  const owner = await caller();
  const { id } = await aSession(owner);
  const made = await owner.made(`/sessions/${id}/previews`, { port: 80 });
  assert.match(made.url, /^https:\/\/[a-z2-7]{26}\.previews\.example\.com:8443\/\.berth\/enter#/);
  assert.ok(Date.parse(made.expires_at) - Date.parse(made.created_at) < 180_000);
  const longer = await owner.post(`/sessions/${id}/previews`, { port: 80, expires_in_seconds: 121 });
  assert.equal(longer.status, 400);
  assert.equal(longer.body.error.param, "expires_in_seconds");
});

test("previews: no address for a service that is used elsewhere than at localhost → 400", async (t) => {
  const { caller } = await testApp(t, { publicUrl: "https://berth.example.com" });
  const owner = await caller();
  const { id } = await aSession(owner);
  const refused = await owner.post(`/sessions/${id}/previews`, { port: 80 });
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /BERTH_PREVIEW_URL/);
});

test("previews: a port that is none, a foreign session, and one that has ended", async (t) => {
  const { caller } = await testApp(t);
  const [owner, other] = [await caller(), await caller({ email: "other@example.com" })];
  const { id } = await aSession(owner);
  const path = `/sessions/${id}/previews`;
  for (const port of [0, 65_536, 1.5, "80", null]) {
    const refused = await owner.post(path, { port });
    assert.deepEqual([refused.status, refused.body.error.param], [400, "port"], String(port));
  }
  for (const expires_in_seconds of [59, 2_592_001, 60.5])
    assert.equal((await owner.post(path, { port: 80, expires_in_seconds })).status, 400);
  const made = await owner.made(path, { port: 80 });
  const foreign = await Promise.all([
    other.post(path, { port: 80 }),
    other.get(path),
    other.get(`${path}/${made.id}`),
    other.delete(`${path}/${made.id}`),
  ]);
  for (const { status } of foreign) assert.ok(status === 403 || status === 404, String(status));
  const another = await aSession(owner);
  assert.equal((await owner.get(`/sessions/${another.id}/previews/${made.id}`)).status, 404);
  await owner.post(`/sessions/${id}/archive`);
  await owner.post(`/sessions/${another.id}/terminate`);
  for (const ended of [id, another.id])
    assert.equal((await owner.post(`/sessions/${ended}/previews`, { port: 80 })).status, 409);
});

test("previews: a session has at most so many; those that have expired do not count, and are deleted", async (t) => {
  const { caller, db } = await testApp(t);
  const owner = await caller();
  const { id } = await aSession(owner);
  const path = `/sessions/${id}/previews`;
  const all = await Promise.all(
    Array.from({ length: MAX_SESSION_PREVIEWS + 3 }, (_, index) => owner.post(path, { port: index + 1 })),
  );
  const refused = all.filter(({ status }) => status !== 200);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.error.type]),
    Array.from({ length: 3 }, () => [409, "conflict_error"]),
  );
  await db.write.query({ text: "update port_previews set expires_at = now() where port % 2 = 0" });
  const left = (await owner.get(`${path}?limit=100`)).body.data;
  assert.ok(left.length < MAX_SESSION_PREVIEWS);
  assert.ok(left.every(({ port }: Wire) => port % 2 === 1));
  await owner.made(path, { port: 80 });
  await db.write.query({ text: "update port_previews set expires_at = now() where port = 80" });
  await deleteExpiredPreviews(db.write);
  const { rows } = await db.read.query<{ count: number }>({
    text: "select count(*)::int as count from port_previews",
  });
  assert.equal(rows[0]?.count, left.length);
});

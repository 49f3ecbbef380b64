import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../../test-support/collect.ts";
import { clientOf, respond, respondWithError, startWire } from "../../test-support/wire.ts";

const ids = Array.from({ length: 7 }, (_, i) => ({ id: `sess_${i}` }));

/** Returns a page of three. The cursor is the index of the next item. */
function pageFrom(start: number) {
  const data = ids.slice(start, start + 3);
  const has_more = start + 3 < ids.length;
  return {
    data,
    next_page: has_more ? String(start + 3) : null,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more,
  };
}

test("list: awaited → its first page; iterated → all items", async (t) => {
  const wire = await startWire(t, ({ query }, response) =>
    respond(response, 200, pageFrom(Number(query.get("page") ?? 0))),
  );
  const { client } = clientOf(wire.url);
  const page = await client.sessions.list({ limit: 3 });
  assert.deepEqual({ ...page }, pageFrom(0));
  assert.equal(wire.received.length, 1);
  assert.deepEqual((await page.nextPage())?.first_id, "sess_3");
  assert.deepEqual(await collect(client.sessions.list()), ids);
  assert.deepEqual(await collect(page), ids, "a page goes on after itself");
});

test("list: pages are fetched on demand, with the same filters and without the replaced cursor", async (t) => {
  const wire = await startWire(t, ({ query }, response) =>
    respond(response, 200, pageFrom(Number(query.get("page") ?? 0))),
  );
  const { client } = clientOf(wire.url);
  let seen = 0;
  for await (const _ of client.sessions.list({
    after_id: "sess_9",
    statuses: ["idle", "running"],
    include_archived: true,
    created_at: { gte: new Date("2026-01-01T00:00:00Z"), lt: "2027-01-01T00:00:00.000Z" },
    agent_id: undefined,
  })) {
    if (++seen === 4) break;
  }
  const filters =
    "statuses[]=idle&statuses[]=running&include_archived=true&created_at[gte]=2026-01-01T00:00:00.000Z&created_at[lt]=2027-01-01T00:00:00.000Z";
  const queries = wire.received.map(({ query }) => decodeURIComponent(query.toString()));
  assert.deepEqual(queries, [`after_id=sess_9&${filters}`, `${filters}&page=3`]);
});

test("list: withResponse has the request id; errors are thrown to await and to for await", async (t) => {
  const wire = await startWire(t, ({ path }, response) =>
    path.endsWith("/sessions")
      ? respond(response, 200, pageFrom(0))
      : respondWithError(response, 403, { type: "permission_error", message: "No." }),
  );
  const { client } = clientOf(wire.url);
  const { data, requestId, response } = await client.sessions.list().withResponse();
  assert.deepEqual([data.data.length, requestId, response.status], [3, "req_of_header", 200]);
  await assert.rejects(client.agents.list().withResponse(), { type: "permission_error" });
  await assert.rejects(Promise.resolve(client.agents.list()), { type: "permission_error" });
  await assert.rejects(collect(client.agents.list()), { type: "permission_error" });
});

test("list: no next_page → paged by the ids at the ends of its pages", async (t) => {
  const pages: Record<string, object> = {
    "": { data: ids.slice(0, 2), first_id: "a", last_id: "b", has_more: true },
    "after_id=b": { data: [], first_id: "c", last_id: "d", has_more: true },
    "after_id=d": { data: ids.slice(2, 3), first_id: "e", last_id: "e", has_more: false },
    "before_id=x": { data: ids.slice(5, 6), first_id: "y", last_id: "z", has_more: true },
    "before_id=y": { data: ids.slice(4, 5), first_id: "w", last_id: "w", has_more: false },
  };
  const wire = await startWire(t, ({ query }, response) => {
    const { type, ...anchor } = Object.fromEntries(query);
    assert.equal(type, "skill");
    respond(response, 200, pages[new URLSearchParams(anchor).toString()]);
  });
  const { client } = clientOf(wire.url);
  assert.deepEqual(await collect(client.forward.list({ type: "skill" })), ids.slice(0, 3));
  const newer = client.forward.list({ type: "skill", before_id: "x" });
  assert.deepEqual(await collect(newer), [ids[5], ids[4]]);
});

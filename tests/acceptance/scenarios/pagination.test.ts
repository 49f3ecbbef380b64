import assert from "node:assert/strict";
import { assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeEnvironment } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const made: { id: string }[] = [];
for (let i = 0; i < 45; i++) made.push(await makeEnvironment(api));
/** Ids of 45 environments, newest first. */
const ids: readonly string[] = made.map(({ id }) => id).reverse();

async function page(query: string): Promise<{
  ids: string[];
  next_page: string | null;
  has_more: boolean;
  first_id: string;
  last_id: string;
}> {
  const body = await api.ok("GET", `/environments?${query}`);
  return { ...body, ids: body.data.map(({ id }: { id: string }) => id) };
}

covers(["page-envelope"], "empty list: no data, no ids, no cursor", async () => {
  assert.deepEqual(await api.ok("GET", "/files"), {
    data: [],
    next_page: null,
    first_id: null,
    last_id: null,
    has_more: false,
  });
});

covers(
  ["page-limit"],
  "limit: 20 by default, 1 to 100; other values are rejected with the documented message",
  async () => {
    assert.deepEqual((await page("")).ids, ids.slice(0, 20));
    assert.deepEqual((await page("limit=1")).ids, ids.slice(0, 1));
    assert.deepEqual((await page("limit=100")).ids, ids);
    for (const limit of ["0", "-1", "-5", "abc", "1.5", "1e1", "%205", "", "0x10", "%2B1"]) {
      const message = "Field 'limit' must be a positive integer.";
      assertError(await api.get(`/environments?limit=${limit}`), 400, "invalid_request_error", {
        message,
        param: "limit",
      });
    }
    for (const limit of ["101", "1000"]) {
      assertError(await api.get(`/environments?limit=${limit}`), 400, "invalid_request_error", {
        message: "limit exceeds maximum of 100",
        param: "limit",
      });
    }
    assertError(await api.get("/environments?limit=5&limit=6"), 400, "invalid_request_error", {
      param: "limit",
    });
  },
);

covers(
  ["page-order"],
  "next_page: returns every object once, newest first, during concurrent writes",
  async () => {
    const writer = await berth.client({ user: "writer@example.com" });
    const seen: string[] = [];
    let query = "limit=7";
    for (;;) {
      const [part] = await Promise.all([
        page(query),
        makeEnvironment(writer, { name: `noise ${seen.length}` }),
      ]);
      seen.push(...part.ids);
      assert.equal(part.first_id, part.ids[0]);
      assert.equal(part.last_id, part.ids.at(-1));
      assert.equal(part.has_more, part.next_page !== null);
      if (part.next_page === null) break;
      query = `limit=7&page=${encodeURIComponent(part.next_page)}`;
    }
    assert.deepEqual(seen, ids);
  },
);

covers(["page-cursors"], "two cursors at once → 400", async () => {
  const { next_page: cursor } = await page("limit=2");
  for (const query of [
    `after_id=${ids[0]}&before_id=${ids[3]}`,
    `page=${cursor}&after_id=${ids[0]}`,
    `page=${cursor}&before_id=${ids[0]}`,
  ]) {
    assertError(await api.get(`/environments?${query}`), 400, "invalid_request_error");
  }
});

covers(
  ["page-anchors"],
  "after_id and before_id: the objects after and before the anchor, newest first",
  async () => {
    assert.deepEqual((await page(`limit=3&after_id=${ids[4]}`)).ids, ids.slice(5, 8));
    assert.deepEqual((await page(`limit=3&before_id=${ids[10]}`)).ids, ids.slice(7, 10));
    assert.deepEqual((await page(`limit=3&before_id=${ids[2]}`)).ids, ids.slice(0, 2));
    const back = await page(`limit=3&before_id=${ids[10]}`);
    assert.equal(back.has_more, true);
    assert.deepEqual(
      (await page(`limit=3&page=${back.next_page}`)).ids,
      ids.slice(4, 7),
      "next_page continues in the same direction",
    );
    assert.deepEqual((await page("limit=3&after_id=env_00000000000000000000000000")).ids, []);
    assert.deepEqual(
      (await page("limit=2&after_id=env_7zzzzzzzzzzzzzzzzzzzzzzzzz")).ids,
      ids.slice(0, 2),
      "an anchor of a deleted object still has a position",
    );
    assertError(await api.get("/environments?after_id=nonsense"), 400, "invalid_request_error", {
      param: "after_id",
    });
    assertError(
      await api.get(`/environments?before_id=${ids[0]?.replace("env_", "agent_")}`),
      400,
      "invalid_request_error",
      { param: "before_id" },
    );
  },
);

covers(["page-signed"], "page cursor: valid only for its list, filters and caller", async () => {
  const { next_page: cursor } = await page("limit=2");
  assert.ok(cursor !== null);
  const altered = cursor.slice(0, -2) + (cursor.endsWith("AA") ? "BB" : "AA");
  const stranger = await berth.client({ user: "stranger@example.com" });
  for (const response of [
    await api.get(`/environments?page=${altered}`),
    await api.get("/environments?page=abc"),
    await api.get(`/agents?page=${cursor}`),
    await api.get(`/environments?page=${cursor}&include_archived=true`),
    await stranger.get(`/environments?page=${cursor}`),
  ]) {
    assertError(response, 400, "invalid_request_error", { param: "page" });
  }
  assert.deepEqual((await page(`limit=5&page=${cursor}`)).ids, ids.slice(2, 7), "the limit may change");
});

covers(["page-order"], "created_at: filters the list", async () => {
  const { created_at: at } = (await api.ok("GET", `/environments/${ids[20]}`)) as { created_at: string };
  const newer = await page(`limit=100&created_at[gte]=${at}`);
  const older = await page(`limit=100&created_at[lt]=${at}`);
  assert.deepEqual([...newer.ids, ...older.ids], ids);
  assert.ok(newer.ids.includes(ids[20] ?? ""));
  assertError(await api.get("/environments?created_at[gte]=yesterday"), 400, "invalid_request_error", {
    param: "created_at[gte]",
  });
});

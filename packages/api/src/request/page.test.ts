import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { parseId } from "@berth/contract";
import fc from "fast-check";
import { type Caller, testApp, type Wire } from "../../test-support/http.ts";
import { createCursors } from "./cursor.ts";

interface Shown {
  ids: string[];
  next: string | null;
}

async function page(caller: Caller, query: string): Promise<Shown> {
  const { status, body, text } = await caller.get(`/environments?${query}`);
  assert.equal(status, 200, text);
  const ids = body.data.map(({ id }: Wire) => id);
  assert.deepEqual([body.first_id, body.last_id], [ids[0] ?? null, ids.at(-1) ?? null]);
  assert.equal(body.has_more, body.next_page !== null);
  return { ids, next: body.next_page };
}

/** Follows `next_page` to the end, and returns all pages. */
async function walk(caller: Caller, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = ""; next !== null; ) {
    const shown: Shown = await page(caller, next === "" ? query : `${query.split("&")[0]}&page=${next}`);
    pages.push(shown.ids);
    next = shown.next;
  }
  return pages;
}

describe("pages", () => {
  test("pages equal slices of an array, for any size, limit, anchor and deletions", async (t) => {
    const { db, caller } = await testApp(t);
    const owners = await Promise.all([
      caller(),
      caller({ kind: "sat" }),
      caller({ email: "admin@example.com", role: "admin" }),
    ]);
    const [owner, service, admin] = owners as [Caller, Caller, Caller];
    const made: string[] = [];
    for (let i = 0; i < 40; i++)
      made.unshift((await (i % 3 === 0 ? service : owner).made("/environments", { name: `e${i}` })).id);
    const scenario = fc.record({
      kept: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      limit: fc.constantFrom(1, 2, 3, 7, 20, 39, 40, 100),
      anchor: fc.nat(39),
      reader: fc.constantFrom(owner, admin),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ kept, limit, anchor, reader }) => {
        const list = made.filter((_, index) => kept[index]);
        await db.write.query({
          text: "update environments set archived_at = case when id = any($1::uuid[]) then null else now() end",
          values: [list.map((id) => parseId("environment", id))],
        });
        const at = made[anchor] ?? "";
        const older = list.filter((id) => made.indexOf(id) > anchor);
        const newer = list.filter((id) => made.indexOf(id) < anchor);
        assert.deepEqual((await walk(reader, `limit=${limit}`)).flat(), list);
        assert.deepEqual((await walk(reader, `limit=${limit}&after_id=${at}`)).flat(), older);
        const back = await walk(reader, `limit=${limit}&before_id=${at}`);
        assert.deepEqual(back.toReversed().flat(), newer);
        assert.deepEqual(back[0], newer.slice(-limit), "the page that directly precedes, newest first");
      }),
      { numRuns: 12 },
    );
  });

  test("bounds on created_at apply to the milliseconds of ids", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const made: Wire[] = [];
    for (let i = 0; i < 6; i++) made.unshift(await owner.made("/environments", { name: `e${i}` }));
    const at = made[2].created_at;
    for (const [bound, keeps] of [
      ["gt", (time: string) => time > at],
      ["gte", (time: string) => time >= at],
      ["lt", (time: string) => time < at],
      ["lte", (time: string) => time <= at],
    ] as const) {
      const expected = made.filter(({ created_at: time }) => keeps(time)).map(({ id }) => id);
      assert.deepEqual((await page(owner, `created_at[${bound}]=${at}`)).ids, expected, bound);
    }
    assert.deepEqual((await page(owner, `created_at[gte]=${at}&created_at[lt]=${at}`)).ids, []);
  });

  test("a cursor that is altered, foreign, of other filters or of another key → rejected", async (t) => {
    const { caller } = await testApp(t);
    const [owner, other] = await Promise.all([caller(), caller({ email: "other@example.com" })]);
    for (let i = 0; i < 3; i++) await owner.made("/environments", { name: `e${i}` });
    const { next } = await page(owner, "limit=1");
    assert.ok(next !== null);
    const refused = async (who: Caller, path: string) => {
      const { status, body } = await who.get(path);
      assert.deepEqual([status, body.error?.param], [400, "page"], path);
    };
    for (let at = 0; at < next.length; at++) {
      const letter = next[at] === "A" ? "B" : "A";
      await refused(owner, `/environments?page=${next.slice(0, at)}${letter}${next.slice(at + 1)}`);
    }
    for (const cut of ["abc", next.slice(0, -1), `${next}A`, `${next}=`])
      await refused(owner, `/environments?page=${cut}`);
    await refused(other, `/environments?page=${next}`);
    await refused(owner, `/environments?page=${next}&include_archived=true`);
    await refused(owner, `/agents?page=${next}`);
    assert.equal((await page(owner, `limit=2&page=${next}`)).ids.length, 2, "another limit is fine");
    const scope = { operation: "x", params: {}, filters: {}, principalId: "y" };
    const sealed = createCursors(randomBytes(32)).seal(scope, { direction: "older", position: "z" });
    assert.equal(createCursors(randomBytes(32)).open(scope, sealed), null);
  });
});

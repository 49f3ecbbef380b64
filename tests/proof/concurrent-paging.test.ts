import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { NO_LIMITS } from "../acceptance/harness/no-limits.ts";

/**
 * Reads a list in pages while 20 writers add and delete objects: every permanent object appears once, in
 * order.
 */

const PERMANENT_COUNT = 300;
const WRITERS = 20;
const WALKS_PER_LIMIT = 5;
const LIMITS = [1, 2, 7, 20, 99, 100];

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({ settings: { ...NO_LIMITS, BERTH_LOG_LEVEL: "error" } });
  api = await berth.client();
});
after(() => berth.stop());

test("paging during writes: every permanent object appears once, in order", {
  timeout: 600_000,
}, async () => {
  const permanent = new Set<string>();
  for (let made = 0; made < PERMANENT_COUNT; made += 30) {
    const batch = await Promise.all(Array.from({ length: 30 }, () => makeAgent("permanent")));
    for (const { id } of batch) permanent.add(id);
  }
  const stop = new AbortController();
  const writers = Array.from({ length: WRITERS }, () => write(stop.signal));
  const walks = await Promise.all(LIMITS.map((limit) => walkRepeatedly(limit)));
  stop.abort();
  const writes = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
  for (const ids of walks.flat()) assertWalk(ids, permanent);
  console.log(`${walks.flat().length} walks during ${writes} writes`);
  assert.ok(writes > WRITERS, "the writers were active");
});

test("paging without writes: next_page, after_id and before_id return the same objects", {
  timeout: 600_000,
}, async () => {
  for (const limit of LIMITS.slice(1)) {
    const byPage = await walk(limit);
    const byAnchor: string[] = [];
    for (let pages = 0; pages < 1_000; pages += 1) {
      const last = byAnchor.at(-1);
      const { data, has_more } = await page(limit, last === undefined ? "" : `&after_id=${last}`);
      byAnchor.push(...data.map(({ id }: AnyJson) => id));
      if (!has_more) break;
    }
    assert.deepEqual(byAnchor, byPage);
    assert.deepEqual(await walkBack(limit, byPage.at(-1) ?? ""), byPage.slice(0, -1));
  }
});

/** Asserts that each row appears once, newest first, and that no permanent row is missing. */
function assertWalk(ids: readonly string[], permanent: ReadonlySet<string>): void {
  assert.equal(new Set(ids).size, ids.length, "a row appeared twice");
  assert.deepEqual(ids, ids.toSorted().reverse(), "the rows are newest first");
  assert.equal(ids.filter((id) => permanent.has(id)).length, permanent.size, "a row is missing");
}

async function write(signal: AbortSignal): Promise<number> {
  let writes = 0;
  while (!signal.aborted && writes < 100_000) {
    const { id } = await makeAgent("temporary");
    await api.ok("DELETE", `/agents/${id}`);
    writes += 2;
  }
  return writes;
}

async function walkRepeatedly(limit: number): Promise<string[][]> {
  const walks: string[][] = [];
  for (let count = 0; count < (limit === 1 ? 1 : WALKS_PER_LIMIT); count += 1) walks.push(await walk(limit));
  return walks;
}

async function walk(limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 2_000; pages += 1) {
    const { data, next_page } = await page(limit, cursor);
    ids.push(...data.map(({ id }: AnyJson) => id));
    if (next_page === null) return ids;
    cursor = `&page=${encodeURIComponent(next_page)}`;
  }
  throw new Error("the list did not end");
}

/** Returns the ids before an anchor, read backwards in pages, in list order. */
async function walkBack(limit: number, from: string): Promise<string[]> {
  const ids: string[] = [];
  let anchor = from;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const { data, has_more } = await page(limit, `&before_id=${anchor}`);
    ids.unshift(...data.map(({ id }: AnyJson) => id));
    anchor = ids[0] ?? anchor;
    if (!has_more) return ids;
  }
  throw new Error("the list did not end");
}

function page(limit: number, cursor: string): Promise<AnyJson> {
  return api.ok("GET", `/agents?limit=${limit}${cursor}`);
}

function makeAgent(name: string): Promise<AnyJson> {
  return api.ok("POST", "/agents", { name, model: "rehearsal/steps" });
}

// Subject: search for sessions by words, within the rights of the caller.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatId } from "@berth/contract";
import { appendByRun } from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { type Caller, type TestApp, testApp } from "../../../../test-support/http.ts";
import { readWords } from "./read-words.ts";
import { askedWords, wordsOf, wordsQuery } from "./words.ts";

const parts = async (owner: Caller) => ({
  agent: (await owner.made("/agents", { name: "a", model: "rehearsal/steps" })).id,
  environment_id: (await owner.made("/environments", { name: `e${Math.random()}` })).id,
});

async function found(caller: Caller, search: string, more = ""): Promise<string[]> {
  const query = `sort=updated_at&search=${encodeURIComponent(search)}${more}`;
  const { status, body } = await caller.get(`/sessions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ title }: { title: string }) => title);
}

const say = (text: string) => ({ events: [{ type: "user.message", content: [{ type: "text", text }] }] });

async function answer({ db }: TestApp, uuid: string, text: string): Promise<void> {
  const lease = await seedLease(db.write, uuid, "worker");
  await appendByRun(db.write, lease, [
    { event: { type: "agent.message", content: [{ type: "text", text }] } },
  ]);
}

describe("search for sessions", () => {
  test("by words of the title, of a repository, and of what was said, of which each may be a beginning", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const given = await parts(owner);
    const resources = [{ type: "hosted_repository", url: "https://github.com/acme/widget.git" }];
    const first = await owner.made("/sessions", { ...given, title: "Flaky upload", resources });
    await owner.made("/sessions", { ...given, title: "Other things" });
    await owner.post(
      `/sessions/${first.id}/events`,
      say("Look at src/main.ts, please: Überläufe are counted twice."),
    );
    assert.deepEqual(await found(owner, "flaky"), []);
    await readWords(app.db);
    const { rows } = await app.db.read.query<{ id: string }>({
      text: "select id from sessions where title like 'Flaky%'",
    });
    await answer(app, rows[0]?.id ?? "", "The semaphore was released twice; I wrote a test.");
    await app.db.write.query({ text: "update sessions set updated_at = now()" });
    await readWords(app.db);
    for (const words of [
      "flaky",
      "UPLOAD fla",
      "acme/widget",
      "widget upload",
      "main.ts",
      "überläuf",
      "semaphore",
      "twice counted",
      "'; drop",
    ])
      assert.deepEqual(await found(owner, words), words === "'; drop" ? [] : ["Flaky upload"], words);
    for (const words of ["flaky things", "text", "user message", "org", "...", "abc'def\\"])
      assert.deepEqual(await found(owner, words), [], words);
    assert.equal(formatId("session", rows[0]?.id ?? ""), first.id);

    await owner.made(`/sessions/${first.id}`, { title: "Renamed" });
    await readWords(app.db);
    assert.deepEqual(
      [await found(owner, "flaky"), await found(owner, "renamed semaphore")],
      [[], ["Renamed"]],
    );
    assert.deepEqual(await found(owner, "renamed", "&statuses[]=terminated"), []);
    await owner.delete(`/sessions/${first.id}`);
    assert.deepEqual(await found(owner, "renamed"), []);
  });

  test("only what the caller may read is found, also when many sessions have the words", async (t) => {
    const app = await testApp(t);
    const [owner, member, stranger] = [
      await app.caller({ email: "ada@example.com", org: "acme" }),
      await app.caller({ email: "bob@example.com", org: "acme" }),
      await app.caller({ email: "eve@example.com", org: "other" }),
    ];
    const [given, theirs] = [await parts(owner), await parts(stranger)];
    const titles = ["common private", "common shared", "common lent"];
    const made = [];
    for (const title of titles) made.push(await owner.made("/sessions", { ...given, title }));
    await stranger.made("/sessions", { ...theirs, title: "common elsewhere" });
    await owner.made(`/sessions/${made[1].id}/share`, {});
    await owner.made(`/sessions/${made[2].id}/share`, { user: "bob@example.com" });
    await readWords(app.db);
    const expectAll = async () => {
      assert.deepEqual((await found(owner, "common")).toSorted(), titles.toSorted());
      assert.deepEqual((await found(member, "common")).toSorted(), ["common lent", "common shared"]);
      assert.deepEqual((await found(member, "common", "&shared_with_me=true")).toSorted(), [
        "common lent",
        "common shared",
      ]);
      assert.deepEqual(await found(stranger, "common"), ["common elsewhere"]);
    };
    await expectAll();
    const add = async (title: string, count: number, age: string) => {
      await app.db.write.query({
        text: `insert into sessions (id, organization_id, owner_type, owner_id, agent_id, agent, environment_id, title, updated_at)
          select gen_random_uuid(), organization_id, owner_type, gen_random_uuid(), agent_id, agent, environment_id, $1, now() - $3::interval
          from sessions, generate_series(1, $2) where title = 'common private'`,
        values: [title, count, age],
      });
      await app.db.write.query({ text: "update session_words_state set read_until = '-infinity'" });
      await readWords(app.db);
    };
    // More sessions with the word than are looked at one by one: most of those that were active last, then few of them.
    await add("common", 1_100, "1 day");
    await expectAll();
    await add("other", 200, "0 days");
    await expectAll();
  });

  test("pages go on after the last session, and a list that is sorted otherwise takes no search", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const given = await parts(owner);
    for (let n = 0; n < 5; n++) await owner.made("/sessions", { ...given, title: `number ${n}` });
    await readWords(app.db);
    const seen: string[] = [];
    let page = "";
    do {
      const { body } = await owner.get(`/sessions?sort=updated_at&search=number&limit=2${page}`);
      seen.push(...body.data.map(({ title }: { title: string }) => title));
      page = body.next_page === null ? "" : `&page=${body.next_page}`;
    } while (page !== "");
    assert.deepEqual(
      seen,
      [4, 3, 2, 1, 0].map((n) => `number ${n}`),
    );
    const { status, body } = await owner.get("/sessions?search=number");
    assert.deepEqual([status, body.error.param], [400, "search"]);
  });

  test("words: any text gives words of letters and digits, and a query that PostgreSQL accepts", async (t) => {
    const { db } = await testApp(t);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
        const words = askedWords(text);
        assert.ok(
          words.length <= 12 && words.every((word) => /^[\p{L}\p{N}\p{M}]{1,64}$/u.test(word)),
          words.join(),
        );
        assert.deepEqual(wordsOf(wordsOf(text).join(" ")), wordsOf(text));
        const { rows } = await db.read.query<{ fits: boolean }>({
          text: "select array_to_tsvector($1::text[]) @@ $2::tsquery as fits",
          values: [[":a", ...words], wordsQuery("a", words)],
        });
        assert.equal(rows[0]?.fits, true, JSON.stringify(words));
      }),
    );
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { formatId } from "@berth/contract";
import type { RemoteRefs } from "@berth/sandbox";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { pino } from "pino";
import type { BuildRequest } from "./build-snapshot.ts";
import { SnapshotBuilder } from "./snapshot-builder.ts";

/** The parts of a builder that never opens a sandbox. */
const MAKES_NOTHING = {
  log: silentLog,
  delayMs: 0,
  directory: { path: "/nowhere", host: "here" },
  maxBytes: 1,
  repositoryVariables: () => ({}),
  evict: async () => 0,
  engine: {
    open: () => assert.fail("nothing is to be made"),
    probe: async () => [{ name: "snapshots" as const, state: "yes" as const, detail: "" }],
  },
};

function request(url: string): BuildRequest {
  const repository = {
    type: "git_repository",
    url,
    mountPath: "/data/one",
    username: null,
    secret: null,
  } as const;
  return { repository, checkout: null };
}

test("request: a sweep deletes the mirror while the build waits → it is claimed anew, unless the session is gone", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const [one, two, gone] = [
    await seedSession(db.write, from),
    await seedSession(db.write, from),
    await seedSession(db.write, from),
  ];
  const asked = new EventTarget();
  const questions: { url: string; answer(refs: RemoteRefs | null): void }[] = [];
  const builder = new SnapshotBuilder({
    ...MAKES_NOTHING,
    db,
    listRefs: ({ url }) => {
      const { promise, resolve } = Promise.withResolvers<RemoteRefs | null>();
      questions.push({ url, answer: resolve });
      asked.dispatchEvent(new Event("asked"));
      return promise;
    },
  });
  const next = async (wants: () => void) => {
    const heard = once(asked, "asked", { signal: AbortSignal.timeout(10_000) });
    wants();
    await heard;
  };
  const leased = (sessionId: string) => ({ sessionId, organizationId: from.organizationId });
  const mirrors = async () => {
    const { rows } = await db.write.query<{ url: string }>({
      text: "select url from repository_mirrors order by url",
    });
    return rows.map(({ url }) => url);
  };
  const claimed = async (count: number) => {
    for (let looks = 0; looks < 1_000 && (await mirrors()).length < count; looks++);
    assert.equal((await mirrors()).length, count);
  };
  await next(() => void builder.request(leased(one), request("https://git.example/one")));
  void builder.request(leased(gone), request("https://git.example/gone"));
  await claimed(2);
  void builder.request(leased(two), request("https://git.example/two"));
  await claimed(3);
  await db.write.query({ text: "delete from repository_mirrors where url not like '%/one'" });
  await db.write.query({ text: "delete from sessions where id = $1", values: [gone] });
  await next(() => questions[0]?.answer(null));
  assert.equal(questions[1]?.url, "https://git.example/two");
  assert.deepEqual(await mirrors(), ["https://git.example/one", "https://git.example/two"]);
  questions[1]?.answer(null);
  await builder.close();
  assert.equal(questions.length, 2);
});

test("request: the host did not list the refs → asked again after 5 s, and not before; then after 10 s", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const sessionId = await seedSession(db.write, from);
  const lines: { session: string; organization: string }[] = [];
  let now = 0;
  let questions = 0;
  const builder = new SnapshotBuilder({
    ...MAKES_NOTHING,
    log: pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
    db,
    listRefs: async () => {
      questions += 1;
      return null;
    },
    now: () => now,
  });
  for (const [time, expected] of [
    [0, 1],
    [4_999, 1],
    [5_000, 2],
    [14_999, 2],
    [15_000, 3],
  ] as const) {
    now = time;
    await builder.request(
      { sessionId, organizationId: from.organizationId },
      request("https://git.example/one"),
    );
    assert.equal(questions, expected, `${time}`);
  }
  const named = [formatId("session", sessionId), formatId("organization", from.organizationId)];
  assert.deepEqual(
    lines.map(({ session, organization }) => [session, organization]),
    [named, named, named],
  );
  await builder.close();
});

test("request: the build begins after the delay; without one that is over, closing begins none", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const leased = { sessionId: await seedSession(db.write, from), organizationId: from.organizationId };
  const asked: string[] = [];
  const make = (delayMs: number) =>
    new SnapshotBuilder({
      ...MAKES_NOTHING,
      db,
      delayMs,
      listRefs: async ({ url }) => {
        asked.push(url);
        return null;
      },
    });
  const soon = make(20);
  const begun = performance.now();
  await soon.request(leased, request("https://git.example/soon"));
  assert.ok(performance.now() - begun >= 19);
  const late = make(3_600_000);
  const requested = late.request(leased, request("https://git.example/late"));
  await late.close();
  await requested;
  await soon.close();
  assert.deepEqual(asked, ["https://git.example/soon"]);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { RemoteRefs } from "@berth/sandbox";
import { silentLog, testDatabase } from "../../../test-support/database.ts";
import { seed, seedSession } from "../../../test-support/runs.ts";
import type { Order } from "./build-snapshot.ts";
import { createTemplateMaker } from "./snapshot-builder.ts";

function order(url: string): Order {
  const repository = {
    type: "git_repository",
    url,
    mountPath: "/data/one",
    username: null,
    secret: null,
  } as const;
  return { repository, checkout: null };
}

test("what is wanted has its mirror when its turn comes, though a sweep took it, unless its session is gone", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const [one, two, gone] = [
    await seedSession(db.write, from),
    await seedSession(db.write, from),
    await seedSession(db.write, from),
  ];
  const asked = new EventTarget();
  const questions: { url: string; answer(refs: RemoteRefs | null): void }[] = [];
  const maker = createTemplateMaker({
    db,
    log: silentLog,
    room: { directory: "/nowhere", host: "here" },
    mostBytes: 1,
    repositoryVariables: () => ({}),
    evict: async () => 0,
    engine: {
      open: () => assert.fail("nothing is to be made"),
      probe: async () => [{ name: "templates", state: "yes", detail: "" }],
    },
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
  await next(() => maker.want(one, order("https://git.example/one")));
  maker.want(gone, order("https://git.example/gone"));
  await claimed(2);
  maker.want(two, order("https://git.example/two"));
  await claimed(3);
  await db.write.query({ text: "delete from repository_mirrors where url not like '%/one'" });
  await db.write.query({ text: "delete from sessions where id = $1", values: [gone] });
  await next(() => questions[0]?.answer(null));
  assert.equal(questions[1]?.url, "https://git.example/two");
  assert.deepEqual(await mirrors(), ["https://git.example/one", "https://git.example/two"]);
  questions[1]?.answer(null);
  await maker.close();
  assert.equal(questions.length, 2);
});

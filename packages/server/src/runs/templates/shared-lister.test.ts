import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemoteRefs } from "@berth/sandbox";
import type { SessionRepository } from "../inputs/session-repository.ts";
import { sharedLister } from "./shared-lister.ts";

const repository: SessionRepository = {
  type: "git_repository",
  url: "https://git.example/org/one",
  mountPath: "/data/one",
  username: null,
  secret: "first",
};

function listing(head: string): RemoteRefs {
  return { head, objects: new Map() };
}

/** Answers each question when it is told to. */
function host(patienceMs = 60_000) {
  const questions: (PromiseWithResolvers<RemoteRefs | null> & { secret: string | null })[] = [];
  const list = sharedLister(({ secret }) => {
    const question = { ...Promise.withResolvers<RemoteRefs | null>(), secret };
    questions.push(question);
    return question.promise;
  }, patienceMs);
  /** Until so many were asked, and no more. */
  const asked = async (count: number) => {
    for (let turns = 0; turns < 10_000 && questions.length < count; turns++) await new Promise(setImmediate);
    assert.equal(questions.length, count);
  };
  return { questions, list, asked };
}

test("who asks while a question is on its way shares the next one, which begins after it", async () => {
  const { questions, list, asked } = host();
  const first = list(repository);
  const [second, third] = [list(repository), list({ ...repository })];
  assert.equal(questions.length, 1);
  questions[0]?.resolve(listing("before"));
  assert.equal((await first)?.head, "before");
  await asked(2);
  const fourth = list(repository);
  questions[1]?.resolve(listing("after"));
  assert.deepEqual([(await second)?.head, (await third)?.head], ["after", "after"]);
  await asked(3);
  questions[2]?.resolve(null);
  assert.equal(await fourth, null);
  const later = list(repository);
  assert.equal(questions.length, 4);
  questions[3]?.resolve(listing("later"));
  assert.equal((await later)?.head, "later");
});

test("another credential, and a question that failed, are no answer for others", async () => {
  const { questions, list, asked: untilAsked } = host();
  const asked = [
    list(repository),
    list({ ...repository, secret: "second" }),
    list({ ...repository, secret: null }),
  ];
  assert.deepEqual(
    questions.map(({ secret }) => secret),
    ["first", "second", null],
  );
  const next = list(repository);
  const failed = assert.rejects(asked[0] ?? next, /gone/);
  questions[0]?.reject(new Error("gone"));
  for (const question of questions.slice(1)) question.resolve(null);
  await Promise.all([failed, ...asked.slice(1)]);
  await untilAsked(4);
  questions[3]?.resolve(listing("mine"));
  assert.equal((await next)?.head, "mine");
});

test("a host that does not answer holds nobody back, and its late answer is for who asked then", async () => {
  const { questions, list, asked } = host(1);
  const first = list(repository);
  const [second, third] = [list(repository), list(repository)];
  await asked(2);
  const fourth = list(repository);
  await asked(3);
  questions[0]?.resolve(listing("late"));
  questions[1]?.resolve(listing("second"));
  const heads = await Promise.all([first, second, third].map(async (one) => (await one)?.head));
  assert.deepEqual(heads, ["late", "second", "second"]);
  const fifth = list(repository);
  questions[2]?.resolve(listing("third"));
  assert.equal((await fourth)?.head, "third");
  await asked(4);
  questions[3]?.resolve(null);
  assert.equal(await fifth, null);
});

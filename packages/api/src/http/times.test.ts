// Subject: times in responses of all operations, and time limits of requests, when this process's clock is
// wrong.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { isAdministration, type Operation, operations } from "@berth/contract";
import type { TestDatabase } from "@berth/store/test-support/database";
import { type Caller, type TestApp, testApp, type Wire } from "../../test-support/http.ts";
import { addHost, type Example, examples } from "../../test-support/operation-examples.ts";

const all: Operation[] = Object.values(operations).flatMap((noun) => Object.values(noun));
/** Fields with other times: from the request, in the future, or of a host seen earlier. */
const OTHERS = new Set(["expires_at", "seen_at", "upcoming_runs_at", "at"]);

for (const [skew, offset] of [
  ["90 s ahead", 90_000],
  ["90 s behind", -90_000],
] as const) {
  describe(`a process whose clock is ${skew}`, () => {
    test("every operation: the times of its answer are between the database's before and after", async (t) => {
      const { caller, operator, db } = await setUp(t, offset);
      const [owner, asOperator] = [await caller({ role: "admin" }), await operator()];
      await addHost(db.write);
      let seen = 0;
      for (const operation of all.filter(({ id }) => examples[id] !== undefined)) {
        const who = isAdministration(operation) ? asOperator : owner;
        const before = await databaseTime(db);
        const given = await examples[operation.id]?.(who);
        const answers = [(await ask(who, operation, given ?? {})).body];
        const made = answers[0]?.type === "session" ? `/sessions/${answers[0].id}` : null;
        if (made !== null) answers.push((await who.get(made)).body, (await who.get(`${made}/events`)).body);
        const after = await databaseTime(db);
        for (const [field, time] of answers.flatMap((answer) => timesIn(answer))) {
          assert.ok(
            time >= before - SLOW_MS && time <= after,
            `${operation.id}: ${field} is ${time - after} ms ahead`,
          );
          seen += 1;
        }
        const [session, events] = answers.slice(1);
        for (const event of events?.data ?? [])
          assert.ok(event.created_at >= session.created_at, operation.id);
      }
      assert.ok(seen > 100, `only ${seen} times were seen`);
    });

    test("expires_at of tokens: in the future and in the past are so by the database's clock", async (t) => {
      const { caller, operator, db } = await setUp(t, offset);
      const [owner, asOperator] = [await caller({ role: "admin" }), await operator()];
      const at = async (milliseconds: number) =>
        new Date((await databaseTime(db)) + milliseconds).toISOString();
      for (const ask of [
        async (expires_at: string) => await owner.post("/tokens", { name: "short", expires_at }),
        async (expires_at: string) =>
          await asOperator.post("/api/v1/admin/operator_tokens", { name: "short", expires_at }),
      ]) {
        const [soon, past] = [await ask(await at(60_000)), await ask(await at(-60_000))];
        assert.deepEqual([soon.status, past.status], [200, 400], soon.text);
      }
    });
  });
}

/** Milliseconds by which an id's time may be too early, since a busy machine responds slowly. */
const SLOW_MS = 20_000;

async function setUp(t: TestContext, offset: number): Promise<TestApp> {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + offset });
  return await testApp(t);
}

async function databaseTime(db: TestDatabase): Promise<number> {
  const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now";
  return (await db.write.query<{ now: number }>({ text })).rows[0]?.now ?? 0;
}

/** Returns the fields of a response that are times, at any depth. */
function timesIn(value: Wire, field = ""): [string, number][] {
  if (typeof value === "string") {
    const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !OTHERS.has(field);
    return isTime ? [[field, Date.parse(value)]] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    timesIn(inner, Array.isArray(value) ? field : name),
  );
}

function ask(caller: Caller, { method, path }: Operation, { ids = [], body, form }: Example) {
  const left = [...ids];
  const filled = path.replace("/api/v1/cloud", "").replaceAll(/\{\w+\}/g, () => left.shift() ?? "absent");
  if (method === "PUT") return caller.put(filled, "content");
  if (form !== undefined) return caller.form(filled, form);
  if (method === "DELETE") return caller.delete(filled);
  return method === "GET" ? caller.get(filled) : caller.post(filled, body);
}

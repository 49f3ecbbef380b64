import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnyJson, Api, ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { callOperation } from "./harness/call-operation.ts";
import { type Caller, type Cast, cast, type Standing, standings } from "./harness/callers.ts";
import { type DescribedOperation, describe as describeService } from "./harness/document.ts";
import { absentWorld, bodyNamesObjects, makeWorld, type World } from "./harness/world.ts";

/** Thirteen callers, every operation, and objects that are their own, their organization's, another's, or not there. */

let berth: Berth;
let people: Cast;
let operations: DescribedOperation[];
let worlds: Record<Standing, World>;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
  people = await cast(berth);
  operations = (await describeService(berth.url)).operations;
  const own = await makeWorld(people.owner, "canaryown");
  worlds = {
    own,
    shared: await makeWorld(people.serviceAccount, "canaryshared", people.admin),
    foreign: await makeWorld(people.stranger, "canaryforeign"),
    absent: absentWorld(own),
  };
});
after(() => berth.stop());

describe("who gets to what", { timeout: 300_000 }, () => {
  test("what a caller may not do is refused exactly, and changes nothing", async () => {
    const before = await everythingOf(people, worlds);
    let rows = 0;
    for (const caller of people.callers) {
      for (const [operation, standing] of rowsOf(operations)) {
        const expected = expectation(caller, operation, standing);
        if (expected === "reached") continue;
        const answer = await callOperation(await caller.api(operation.scope), operation, worlds[standing]);
        holdRefusal(answer, expected, `${caller.name}: ${operation.id} of ${standing}`);
        rows += 1;
      }
    }
    assert.deepEqual(await everythingOf(people, worlds), before);
    console.log(`${rows} refusals`);
  });

  test("what a caller may do is done", async () => {
    let rows = 0;
    for (const caller of people.callers) {
      for (const [operation, standing] of rowsOf(operations)) {
        if (expectation(caller, operation, standing) !== "reached") continue;
        const world = operation.method === "GET" ? worlds[standing] : await freshWorld(standing);
        const answer = await callOperation(await caller.api(operation.scope), operation, world);
        const row = `${caller.name}: ${operation.id} of ${standing}: ${JSON.stringify(answer.body)}`;
        assert.ok(![401, 403, 404, 500].includes(answer.status), row.slice(0, 400));
        rows += 1;
      }
    }
    console.log(`${rows} calls that reach their object`);
  });
});

/** Each operation with each standing of the objects that it names; those that name none, once. */
function rowsOf(operations: readonly DescribedOperation[]): [DescribedOperation, Standing][] {
  return operations.flatMap((operation) =>
    (namesObjects(operation) ? standings : (["own"] as const)).map(
      (standing): [DescribedOperation, Standing] => [operation, standing],
    ),
  );
}

function namesObjects({ id, pathParams }: DescribedOperation): boolean {
  return pathParams.length > 0 || bodyNamesObjects(id);
}

function expectation(caller: Caller, operation: DescribedOperation, standing: Standing): "reached" | number {
  if (!caller.valid) return caller.gets[standing];
  const exception = exceptions[caller.name]?.[`${operation.id} ${standing}`];
  if (exception !== undefined) return exception;
  if (caller.name === "a service account" && operation.path.startsWith("/api/v1/forward")) return 401;
  return namesObjects(operation) ? caller.gets[standing] : "reached";
}

/** Tokens of an organization are made and revoked by its admins; a service account makes none. */
const exceptions: Record<string, Record<string, number>> = {
  "the owner": { "tokens.delete shared": 403 },
  "another member": { "tokens.delete shared": 403 },
  "a service account": { "tokens.delete shared": 403, "tokens.create own": 403 },
};

function holdRefusal({ status, body }: ApiResponse, expected: number, row: string): void {
  const types: Record<number, string> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
  };
  const told = `${row}: ${status} ${JSON.stringify(body)}`.slice(0, 400);
  assert.equal(status, expected, told);
  assert.equal(body.error.type, types[expected], told);
  assert.doesNotMatch(JSON.stringify(body), /canary(own|shared|foreign)/, told);
}

async function freshWorld(standing: Standing): Promise<World> {
  const makers: Record<Standing, Api> = {
    own: people.owner,
    shared: people.serviceAccount,
    foreign: people.stranger,
    absent: people.owner,
  };
  fresh += 1;
  return await makeWorld(makers[standing], `fresh${fresh}`, standing === "shared" ? people.admin : undefined);
}
let fresh = 0;

/** What differs from one reading to the next; a service account is refused by Forward. */
const changing = /"duration_seconds":\d+|"request_id":"[^"]+"/g;

/** What each owner reads of the objects, without what reading them changes. */
async function everythingOf(
  { owner, serviceAccount, stranger }: Cast,
  all: typeof worlds,
): Promise<AnyJson[]> {
  const readers: [Api, World][] = [
    [owner, all.own],
    [serviceAccount, all.shared],
    [stranger, all.foreign],
  ];
  const read = operations.filter(
    ({ id, method }) =>
      method === "GET" && /\.(get|list|content)$/.test(id) && !/^(tokens|models)\./.test(id),
  );
  const answers: AnyJson[] = [];
  for (const [reader, world] of readers) {
    for (const operation of read) {
      const { status, body } = await callOperation(reader, operation, world);
      answers.push([operation.id, status, JSON.stringify(body).replaceAll(changing, "")]);
    }
  }
  return answers;
}

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnyJson, Api, ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { callOperation } from "./harness/call-operation.ts";
import { type Caller, type Callers, createCallers, OWNERSHIPS, type Ownership } from "./harness/callers.ts";
import { type DescribedOperation, readOpenApiDocument } from "./harness/openapi-document.ts";
import {
  absentObjects,
  bodyNamesObjects,
  makeTenantObjects,
  type TenantObjects,
} from "./harness/tenant-objects.ts";

/** Tests thirteen callers with every operation on own, organization-owned, foreign and absent objects. */

let berth: Berth;
let callers: Callers;
let operations: DescribedOperation[];
/** The operations of the installation's operator. */
let operatorsOwn: DescribedOperation[];
let objectsByOwnership: Record<Ownership, TenantObjects>;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
  callers = await createCallers(berth);
  const all = (await readOpenApiDocument(berth.url)).operations;
  operations = all.filter(({ isOpen, isOperators }) => !isOpen && !isOperators);
  operatorsOwn = all.filter(({ isOperators }) => isOperators);
  const own = await makeTenantObjects(callers.owner, "canaryown");
  objectsByOwnership = {
    own,
    shared: await makeTenantObjects(callers.serviceAccount, "canaryshared", callers.admin),
    foreign: await makeTenantObjects(callers.stranger, "canaryforeign"),
    absent: absentObjects(own),
  };
});
after(() => berth.stop());

describe("authorization", { timeout: 600_000 }, () => {
  test("denied calls: the exact error, and no change", async () => {
    const before = await snapshotOf(callers, objectsByOwnership);
    let rows = 0;
    for (const caller of callers.all) {
      for (const [operation, ownership] of rowsOf(operations)) {
        const expected = expectedOutcome(caller, operation, ownership);
        if (expected === "allowed") continue;
        const response = await callOperation(
          await caller.api(operation.scope),
          operation,
          objectsByOwnership[ownership],
        );
        assertDenied(response, expected, `${caller.name}: ${operation.id} of ${ownership}`);
        rows += 1;
      }
    }
    assert.deepEqual(await snapshotOf(callers, objectsByOwnership), before);
    console.log(`${rows} denied calls`);
  });

  test("administration: nobody's token but the operator's, who gets nowhere else", async () => {
    const before = await snapshotOf(callers, objectsByOwnership);
    for (const caller of callers.all) {
      const status = caller.expected.own === 401 ? 401 : 403;
      for (const operation of operatorsOwn)
        for (const ownership of OWNERSHIPS) {
          const api = await caller.api(operation.scope);
          const response = await callOperation(api, operation, objectsByOwnership[ownership]);
          assertDenied(response, status, `${caller.name}: ${operation.id} of ${ownership}`);
        }
    }
    for (const [operation, ownership] of rowsOf(operations)) {
      const response = await callOperation(callers.operator, operation, objectsByOwnership[ownership]);
      assertDenied(response, 403, `the operator: ${operation.id} of ${ownership}`);
    }
    assert.deepEqual(await snapshotOf(callers, objectsByOwnership), before);
    const absent = { ...objectsByOwnership.absent, canary: "none" };
    for (const operation of operatorsOwn) {
      const { status, body } = await callOperation(callers.operator, operation, absent);
      const row = `the operator: ${operation.id}: ${JSON.stringify(body)}`;
      assert.ok([200, 404].includes(status), row.slice(0, 400));
      // An operator may see the names of service accounts, one of which has this canary.
      if (operation.id !== "adminServiceAccounts.list")
        assert.doesNotMatch(row, /canary(own|shared|foreign)/);
    }
  });

  test("allowed calls: reach their object", async () => {
    let rows = 0;
    for (const caller of callers.all) {
      for (const [operation, ownership] of rowsOf(operations)) {
        if (expectedOutcome(caller, operation, ownership) !== "allowed") continue;
        const objects =
          operation.method === "GET" ? objectsByOwnership[ownership] : await makeFreshObjects(ownership);
        const response = await callOperation(await caller.api(operation.scope), operation, objects);
        const row = `${caller.name}: ${operation.id} of ${ownership}: ${JSON.stringify(response.body)}`;
        assert.ok(![401, 403, 404, 500].includes(response.status), row.slice(0, 400));
        rows += 1;
      }
    }
    console.log(`${rows} allowed calls`);
  });
});

/**
 * Returns each operation with each ownership of the objects that it refers to; operations without objects
 * once.
 */
function rowsOf(operations: readonly DescribedOperation[]): [DescribedOperation, Ownership][] {
  return operations.flatMap((operation) =>
    (refersToObjects(operation) ? OWNERSHIPS : (["own"] as const)).map(
      (ownership): [DescribedOperation, Ownership] => [operation, ownership],
    ),
  );
}

function refersToObjects({ id, pathParams }: DescribedOperation): boolean {
  return pathParams.length > 0 || bodyNamesObjects(id);
}

function expectedOutcome(
  caller: Caller,
  operation: DescribedOperation,
  ownership: Ownership,
): "allowed" | number {
  if (caller.name === "a service account" && isForUsers(operation)) return 401;
  // An invalid token for the operation gets 403 only if it lacks a scope.
  if (operation.scope === null && caller.expected[ownership] === 403 && !refersToObjects(operation))
    return "allowed";
  if (!caller.valid) return caller.expected[ownership];
  const exception = EXCEPTIONS[caller.name]?.[`${operation.id} ${ownership}`];
  if (exception !== undefined) return exception;
  return refersToObjects(operation) ? caller.expected[ownership] : "allowed";
}

function isForUsers({ id, path }: DescribedOperation): boolean {
  return path.startsWith("/api/v1/forward") || id === "consoleLinks.create";
}

/**
 * Exceptions: only admins create and revoke tokens of an organization, and see the installation. A service
 * account creates no tokens, and approves none.
 */
const EXCEPTIONS: Record<string, Record<string, number>> = {
  "the owner": { "tokens.delete shared": 403, "health.get own": 403 },
  "another member": { "tokens.delete shared": 403, "health.get own": 403 },
  "another organization": { "health.get own": 403 },
  "a service account": {
    "tokens.delete shared": 403,
    "tokens.create own": 403,
    "health.get own": 403,
    "deviceAuthorizations.lookup own": 403,
    "deviceAuthorizations.approve own": 403,
    "deviceAuthorizations.deny own": 403,
  },
};

function assertDenied({ status, body }: ApiResponse, expected: number, row: string): void {
  const types: Record<number, string> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
  };
  const message = `${row}: ${status} ${JSON.stringify(body)}`.slice(0, 400);
  assert.equal(status, expected, message);
  assert.equal(body.error.type, types[expected], message);
  assert.doesNotMatch(JSON.stringify(body), /canary(own|shared|foreign)/, message);
}

async function makeFreshObjects(ownership: Ownership): Promise<TenantObjects> {
  const creators: Record<Ownership, Api> = {
    own: callers.owner,
    shared: callers.serviceAccount,
    foreign: callers.stranger,
    absent: callers.owner,
  };
  freshCount += 1;
  return await makeTenantObjects(
    creators[ownership],
    `fresh${freshCount}`,
    ownership === "shared" ? callers.admin : undefined,
  );
}
let freshCount = 0;

/** Fields that differ between two reads. */
const CHANGING_FIELDS = /"duration_seconds":\d+|"request_id":"[^"]+"/g;

/** Returns every response to reads by the owners, without changing fields. */
async function snapshotOf(
  { owner, serviceAccount, stranger }: Callers,
  all: typeof objectsByOwnership,
): Promise<AnyJson[]> {
  const readers: [Api, TenantObjects][] = [
    [owner, all.own],
    [serviceAccount, all.shared],
    [stranger, all.foreign],
  ];
  const read = operations.filter(
    ({ id, method }) =>
      method === "GET" && /\.(get|list|content)$/.test(id) && !/^(tokens|models)\./.test(id),
  );
  const responses: AnyJson[] = [];
  for (const [reader, objects] of readers) {
    for (const operation of read) {
      const { status, body } = await callOperation(reader, operation, objects);
      responses.push([operation.id, status, JSON.stringify(body).replaceAll(CHANGING_FIELDS, "")]);
    }
  }
  return responses;
}

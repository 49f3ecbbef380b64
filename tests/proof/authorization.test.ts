import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AnyJson, Api, type ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { callOperation } from "./harness/call-operation.ts";
import { type Caller, type Callers, createCallers, OWNERSHIPS, type Ownership } from "./harness/callers.ts";
import { type DescribedOperation, readOpenApiDocument } from "./harness/openapi-document.ts";
import {
  absentObjects,
  bodyNamesObjects,
  makeTenantObjects,
  shareAll,
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

const RANKS = { none: 0, read: 1, write: 2, own: 3 } as const;

/** How objects were shared, with the body of the request for a user, and the access that it gives. */
const RELATIONS: readonly (readonly [
  relation: string,
  share: object | null | ((user: string) => object),
  expected: keyof typeof RANKS,
])[] = [
  ["not shared", null, "none"],
  ["shared with the organization", {}, "read"],
  ["shared for reading", (user) => ({ user }), "read"],
  ["shared for writing", (user) => ({ user, access: "write" }), "write"],
];

describe("authorization", { timeout: 1_800_000 }, () => {
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

  for (const [relation, share, expected] of RELATIONS)
    test(`objects of another user, ${relation}: each operation within what was shared, and no other`, async () => {
      const org = "acme";
      const borrower = `borrower-${relation.replaceAll(" ", "-")}@example.com`;
      const from = await berth.client({ org, user: borrower.replace("borrower", "lender") });
      const to = await berth.client({ org, user: borrower });
      const lent = async () => {
        freshCount += 1;
        const objects = await makeTenantObjects(from, `lent${freshCount}`);
        const body = typeof share === "function" ? share(borrower) : share;
        if (body !== null) await shareAll(from, objects, body);
        return objects;
      };
      const objects = await lent();
      const ofObjects = operations.filter(
        ({ id, access }) => access !== null && !id.startsWith("tokens.") && !id.startsWith("forward."),
      );
      for (const operation of ofObjects) {
        // Connections hold keys of an organization's hosts, and webhooks their receivers' addresses: neither can be shared.
        const shared = /^(connections|webhooks)\./.test(operation.id) ? "none" : expected;
        const isAllowed = RANKS[operation.access ?? "own"] <= RANKS[shared];
        const about = isAllowed && operation.method !== "GET" ? await lent() : objects;
        const response = await callOperation(to, operation, about);
        const row = `${operation.id}: ${response.status} ${JSON.stringify(response.body)}`.slice(0, 400);
        if (isAllowed) assert.ok(![401, 403, 404, 500].includes(response.status), row);
        else assert.equal(response.status, 403, row);
        if (!isAllowed) assert.doesNotMatch(row, /lent\d/, row);
      }
    });

  test("administration: no token but the operator's and an admin's, and the operator gets nowhere else", async () => {
    const before = await snapshotOf(callers, objectsByOwnership);
    for (const caller of callers.all) {
      const status = caller.expected.own === 401 ? 401 : 403;
      for (const operation of operatorsOwn.filter(({ isAdmins }) => caller.name !== "an admin" || !isAdmins))
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
      // An operator may see the names of service accounts and tokens, some of which have this canary.
      if (!["adminServiceAccounts.list", "adminTokens.list"].includes(operation.id))
        assert.doesNotMatch(row, /canary(own|shared|foreign)/);
    }
  });

  test("administration: an admin in their own organization, and of others and absent objects nothing", async () => {
    const theirs = operatorsOwn.filter(({ isAdmins }) => isAdmins);
    assert.ok(theirs.length > 20);
    // A list without this filter would be of all organizations.
    for (const { id, query } of theirs.filter(
      ({ method, pathParams }) => method === "GET" && !pathParams.length,
    ))
      assert.ok(
        query.some(({ name }) => name === "organization_id"),
        `${id} cannot be held to an organization`,
      );
    const [own, foreign] = [await administeredBy("owned"), await administeredBy("others")];
    const absent = absentObjects(own.objects);
    const named = theirs.filter(({ id, pathParams }) => pathParams.length > 0 || id in BODIES_OF_ADMINS);
    const seen = async () => JSON.stringify(await readAsOperator(foreign.objects));
    const before = await seen();
    for (const operation of named) {
      const refused = await callOperation(own.admin, operation, foreign.objects);
      assertDenied(refused, 403, `${operation.id} of another organization`);
      assertDenied(await callOperation(own.admin, operation, absent), 404, `${operation.id} of nothing`);
      const narrow = await callOperation(await own.without(operation.scope), operation, own.objects);
      assertDenied(narrow, 403, `${operation.id} without the scope`);
    }
    assert.equal(await seen(), before);
    for (const operation of theirs) {
      const { status, body } = await callOperation(own.admin, operation, own.objects);
      const row = `${operation.id}: ${status} ${JSON.stringify(body)}`;
      assert.equal(status, 200, row.slice(0, 400));
      assert.ok(!row.includes(foreign.objects.canary) && !row.includes(foreign.organization), row);
    }
  });

  test("allowed calls: reach their object", async () => {
    let rows = 0;
    for (const caller of callers.all) {
      for (const [operation, ownership] of rowsOf(operations)) {
        if (expectedOutcome(caller, operation, ownership) !== "allowed") continue;
        const api = await caller.api(operation.scope);
        let response = await callOperation(api, operation, await usedObjects(operation, ownership));
        if (operation.method !== "GET" && [403, 404].includes(response.status))
          response = await callOperation(api, operation, await makeFreshObjects(ownership));
        const row = `${caller.name}: ${operation.id} of ${ownership}: ${JSON.stringify(response.body)}`;
        assert.ok(![401, 403, 404, 500].includes(response.status), row.slice(0, 400));
        rows += 1;
      }
    }
    console.log(`${rows} allowed calls`);
  });
});

/** Operations of admins whose body names an object. */
const BODIES_OF_ADMINS: Readonly<Record<string, true>> = {
  "adminUsers.create": true,
  "adminServiceAccounts.create": true,
  "adminTokens.create": true,
  "adminErasures.create": true,
};

/** Creates an organization with an admin, and one object of every kind that an admin administers. */
async function administeredBy(organization: string) {
  const at = (name: string) => `${name}@${organization}.example.com`;
  const admin = await berth.client({ org: organization, user: at("admin"), role: "admin" });
  const member = await berth.client({ org: organization, user: at("member") });
  const objects = await makeTenantObjects(member, `canary${organization}`);
  const { organization_id } = objects.ids;
  const make = (path: string, body: object) => callers.operator.ok("POST", `/api/v1/admin${path}`, body);
  const leaver = await make("/users", { email: at("leaver"), organization_id });
  const [account, erasure] = [
    await make("/service_accounts", { name: organization, organization_id }),
    await make("/erasures", { user_id: leaver.id }),
  ];
  Object.assign(objects.ids, { service_account_id: account.id, erasure_id: erasure.id });
  const without = async (scope: string | null) => {
    const scopes = ["admin:read", "admin:write", "agents:read"].filter((one) => one !== scope);
    const { token } = await admin.ok("POST", "/tokens", { name: "narrow", scopes });
    return new Api(berth.url, token);
  };
  return { organization, admin, objects, without };
}

/** Returns what administration reads of an organization, without times. */
async function readAsOperator({ ids }: TenantObjects): Promise<AnyJson[]> {
  const of = `organization_id=${ids.organization_id}`;
  const paths = [`organizations?${of}`, `users?${of}`, `service_accounts?${of}`, `tokens?${of}`];
  const all = [...paths, `retention/${ids.organization_id}`, `audit_entries?${of}`];
  return await Promise.all(all.map((path) => callers.operator.ok("GET", `/api/v1/admin/${path}`)));
}

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
  return path.startsWith("/api/v1/forward") || path.endsWith("/seen") || id === "consoleLinks.create";
}

/** What only admins do with an organization's connections and webhooks, which all members use. */
const CHANGES_OF_WHAT_ALL_USE = Object.fromEntries(
  [
    ...["connections.update", "connections.delete", "webhooks.update", "webhooks.delete", "webhooks.enable"],
    ...["webhooks.disable", "webhooks.rotateSecret", "webhooks.redeliver"],
  ].map((id) => [`${id} shared`, 403]),
);

/**
 * Exceptions: only admins create and revoke tokens of an organization, and see the installation. A service
 * account creates no tokens, and approves none.
 */
const EXCEPTIONS: Record<string, Record<string, number>> = {
  "the owner": { ...CHANGES_OF_WHAT_ALL_USE, "tokens.delete shared": 403, "health.get own": 403 },
  "another member": { ...CHANGES_OF_WHAT_ALL_USE, "tokens.delete shared": 403, "health.get own": 403 },
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
  const issuer = ownership === "shared" ? callers.admin : undefined;
  const made = await makeTenantObjects(creators[ownership], `fresh${freshCount}`, issuer);
  fresh.set(ownership, made);
  return made;
}
let freshCount = 0;
const fresh = new Map<Ownership, TenantObjects>();

/** Returns objects that earlier calls may have changed, archived or deleted, other than those that only reads get. */
async function usedObjects({ method }: DescribedOperation, ownership: Ownership): Promise<TenantObjects> {
  if (method === "GET") return objectsByOwnership[ownership];
  return fresh.get(ownership) ?? (await makeFreshObjects(ownership));
}

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

// Subject: idempotency and scopes of all operations.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { isAdministration, type Operation, operations, SCOPES } from "@berth/contract";
import { type Caller, type Reply, testApp, type Wire } from "../../test-support/http.ts";
import { addHost, type Example, examples } from "../../test-support/operation-examples.ts";

const all: Operation[] = Object.values(operations).flatMap((noun) => Object.values(noun));
const acting = all.filter(({ method }) => method === "POST" || method === "DELETE");

const FOR_ALL = new Set(["read_limits", "find_token", "find_operator"]);

test("every operation that changes something: an Idempotency-Key → done once, on one connection", async (t) => {
  const { caller, operator, db } = await testApp(t, {}, { max: 1 });
  const callers = { owner: await caller({ role: "admin" }), operator: await operator() };
  await addHost(db.write);
  // Keys belong to tokens, so operations without a token have none.
  for (const operation of acting.filter(({ credential }) => credential !== "none")) {
    const example = examples[operation.id];
    await t.test(operation.id, async (t) => {
      assert.ok(example !== undefined, "it has no example in test-support/operation-examples.ts");
      const owner = isAdministration(operation) ? callers.operator : callers.owner;
      const given = await example(owner);
      const key = { "idempotency-key": operation.id };
      const reads = t.mock.method(db.read, "query").mock;
      const first = await ask(owner, operation, given, key);
      const names = reads.calls.map(({ arguments: [statement] }) => statement.name);
      // Limits, and the token, are read from time to time, for all requests.
      const own = names.filter((name) => !FOR_ALL.has(name ?? ""));
      assert.deepEqual(own, [], "what the handler reads, it reads in the transaction");
      const status = operation.created === undefined ? 200 : 201;
      assert.equal(first.status, status, first.text);
      const again = await ask(owner, operation, given, key);
      assert.deepEqual(
        [again.status, again.text, again.headers["idempotency-replayed"]],
        [status, first.text, "true"],
      );
    });
  }
});

test("every operation that changes something: with berth-dry-run nothing changes, or it is rejected", async (t) => {
  const { caller, operator, db, blobsDir } = await testApp(t);
  const owner = await caller({ role: "admin" });
  const asOperator = await operator();
  const dry = { "berth-dry-run": "true" };
  const rows = async () => {
    const tables = [
      ...["agents", "agent_versions", "environments", "vaults", "vault_credentials"],
      ...["memory_stores", "memories", "memory_versions", "skills", "skill_versions"],
    ];
    const all = tables.map((table) => `select to_jsonb(${table})::text as row from ${table}`);
    const { rows } = await db.read.query({ text: `${all.join(" union all ")} order by row` });
    // Received content is deleted after the response.
    const contents = readdirSync(blobsDir, { recursive: true, encoding: "utf8" });
    return [rows, contents.filter((path) => /[0-9a-f]{64}$/.test(path))];
  };
  for (const operation of acting) {
    if (operation.dryRun !== true) {
      const who = isAdministration(operation) ? asOperator : owner;
      const { status, body } = await ask(who, operation, {}, dry);
      assert.deepEqual([status, body.error.param], [400, "berth-dry-run"], operation.id);
      continue;
    }
    const given = (await examples[operation.id]?.(owner)) ?? assert.fail(operation.id);
    const before = await rows();
    const checked = await ask(owner, operation, given, dry);
    assert.equal(checked.status, 200, checked.text);
    assert.deepEqual(await rows(), before, operation.id);
    const done = await ask(owner, operation, given);
    const same = ({
      id: _id,
      memory_version_id: _version,
      created_at: _created,
      updated_at: _updated,
      ...rest
    }: Wire) => rest;
    assert.deepEqual(same(checked.body), same(done.body), operation.id);
    const wrong: Example =
      given.form === undefined
        ? { ...given, body: { ...(given.body as object), sistem: "x" } }
        : { ...given, form: [...given.form, { name: "sistem", content: "x" }] };
    assert.equal((await ask(owner, operation, wrong, dry)).body.error.message, "Unknown field 'sistem'.");
  }
  const { status } = await ask(owner, all[0] ?? assert.fail(), {}, { "berth-dry-run": "yes" });
  assert.equal(status, 400);
});

test("every operation of the operator alone: a token with every scope, also an admin's → 403", async (t) => {
  const { caller } = await testApp(t);
  const admin = await caller({ role: "admin" });
  const theirs = all.filter(({ credential }) => credential === "operator");
  assert.ok(theirs.length > 10);
  for (const operation of theirs) {
    const { status, body } = await ask(admin, operation, {});
    assert.deepEqual([status, body.error.type], [403, "permission_error"], operation.id);
  }
});

test("every administration of an organization: no token of a member or of a service account → 403", async (t) => {
  const { caller } = await testApp(t);
  await caller({ email: "admin@example.com", role: "admin" });
  const callers = [await caller(), await caller({ email: "ci", kind: "sat" })];
  const theirs = all.filter(({ credential }) => credential === "admin");
  assert.ok(theirs.length > 15);
  for (const operation of theirs)
    for (const who of callers) {
      const { status, body } = await ask(who, operation, {});
      assert.deepEqual(
        [status, body.error?.message],
        [403, "Only an admin of the organization can administer it."],
        operation.id,
      );
    }
});

test("every other operation: an operator token → 403", async (t) => {
  const { operator } = await testApp(t);
  const caller = await operator();
  for (const operation of all.filter((one) => !isAdministration(one) && one.credential !== "none")) {
    const { status, body } = await ask(caller, operation, {});
    assert.deepEqual([status, body.error.type], [403, "permission_error"], operation.id);
    assert.match(body.error.message, /accepted only under '\/api\/v1\/admin'/);
  }
});

test("every operation: a missing scope → 403 that names it", async (t) => {
  const { caller } = await testApp(t);
  const open = all.filter(({ scope }) => scope === null);
  assert.deepEqual(
    open.map(({ id }) => id),
    [
      "tokens.current",
      "deviceAuthorizations.create",
      "deviceTokens.create",
      "whoami.get",
      "principals.get",
      "consoleLinks.create",
    ],
  );
  for (const operation of all.filter(({ scope }) => scope !== null)) {
    const others = SCOPES.filter((scope) => scope !== "*" && scope !== operation.scope);
    const left = SCOPES.length - (operation.credential === "operator" ? 1 : 2);
    assert.equal(others.length, left, `${operation.id} has no scope that a token can have`);
    const reply = await ask(await caller({ scopes: others }), operation, {});
    assert.deepEqual([reply.status, reply.body.error?.type], [403, "permission_error"], operation.id);
    assert.ok(reply.body.error.message.includes(`'${operation.scope}'`), reply.text);
  }
});

function ask(
  caller: Caller,
  { method, path }: Operation,
  { ids = [], body, form }: Example,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const left = [...ids];
  const filled = path.replace("/api/v1/cloud", "").replaceAll(/\{\w+\}/g, () => left.shift() ?? "absent");
  if (method === "GET") return caller.get(filled);
  if (method === "PUT") return caller.put(filled, "content");
  if (form !== undefined) return caller.form(filled, form, headers);
  return method === "DELETE" ? caller.delete(filled, headers) : caller.post(filled, body, headers);
}

// The subject is every method of the client, by the contract's table of operations.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { collect } from "../test-support/collect.ts";
import { clientOf, respond, startWire } from "../test-support/wire.ts";
import type { Berth } from "./client.ts";

type Method = (...args: unknown[]) => unknown;

test("every operation of the contract has a method that calls it", async (t) => {
  const wire = await startWire(t, ({ path }, response) => {
    if (path.endsWith("/stream")) return void response.writeHead(404).end();
    respond(response, 200, { data: [], next_page: null, first_id: null, last_id: null, has_more: false });
  });
  const { client } = clientOf(wire.url);
  for (const [noun, verbs] of Object.entries(operations)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const owner = ownerOf(client, noun);
      const method = owner[verb];
      assert.ok(method, `${operation.id} has no method`);
      const ids = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `the ${name}`);
      const given = operation.body === "bytes" ? "content" : { name: "a.txt", content: "a" };
      const body = operation.body === "none" ? [] : [given];
      const result = method.apply(owner, [
        ...ids,
        ...body,
        ...(operation.responseKind === "stream" ? [{ from: "start" }] : []),
      ]);
      await settled(result);
      const request = wire.received.at(-1);
      assert.equal(request?.method, operation.method, operation.id);
      assert.equal(request?.path, operation.path.replaceAll(/\{(\w+)\}/g, "the $1"), operation.id);
      // No token is sent where none is needed.
      const isOpen = (operation as Operation).credential === "none";
      assert.equal(
        request?.headers.authorization,
        isOpen ? undefined : "Bearer berth_pat_test",
        operation.id,
      );
      if (operation.method === "POST")
        assert.equal("idempotency-key" in request.headers, !isOpen, operation.id);
    }
  }
});

function ownerOf(client: Berth, noun: string): Record<string, Method> {
  const nested: Record<string, unknown> = {
    events: client.sessions.events,
    sessionResources: client.sessions.resources,
    workspace: client.sessions.workspace,
    changes: client.sessions.changes,
    pullRequests: client.sessions.pullRequests,
    previews: client.sessions.previews,
    confirmationRules: client.sessions.confirmationRules,
    memories: client.memoryStores.memories,
    memoryVersions: client.memoryStores.versions,
    vaultCredentials: client.vaults.credentials,
    deploymentTriggers: client.deployments.triggers,
    adminOrganizations: client.admin.organizations,
    adminUsers: client.admin.users,
    adminServiceAccounts: client.admin.serviceAccounts,
    adminTokens: client.admin.tokens,
    adminOperatorTokens: client.admin.operatorTokens,
    adminLimits: client.admin.limits,
    adminRetention: client.admin.retention,
    adminErasures: client.admin.erasures,
    adminDeviceAuthorizations: client.admin.deviceAuthorizations,
    adminHosts: client.admin.hosts,
    adminSessions: client.admin.sessions,
    adminAuditEntries: client.admin.auditEntries,
  };
  const owner = nested[noun] ?? Reflect.get(client, noun);
  assert.ok(owner, `the client has no '${noun}'`);
  return owner as Record<string, Method>;
}

async function settled(result: unknown): Promise<void> {
  if (result instanceof Promise) await result;
  else
    await assert.rejects(async () => void (await collect(result as AsyncIterable<unknown>)), {
      status: 404,
    });
}

test("resources.retry → the body that tries a failed clone again, and each call has a key of its own", async (t) => {
  const wire = await startWire(t, (_request, response) => respond(response, 200, {}));
  const { client } = clientOf(wire.url);
  await client.sessions.resources.retry("sess_a", "sesr_b");
  await client.sessions.resources.retry("sess_a", "sesr_b");
  const [first, second] = wire.received;
  assert.equal(first?.path, "/api/v1/cloud/sessions/sess_a/resources/sesr_b");
  assert.deepEqual(JSON.parse(first?.body ?? ""), { retry: true });
  assert.notEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"]);
});

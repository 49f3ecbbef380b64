import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { AnyJson, Api } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeSession } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

async function audit(...flags: string[]): Promise<AnyJson[]> {
  const lines = await berth.command("admin", "audit", "--json", ...flags);
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const operations = (entries: AnyJson[]) => entries.map(({ operation }) => operation);

covers(
  ["audit-log"],
  "audit log: who changed what, from where, and nothing of what was written",
  async () => {
    const agent = await makeAgent(api, { name: "canary-of-the-audit", system: "canary-of-the-audit" });
    await api.ok("POST", `/agents/${agent.id}`, { version: 1, description: "canary-of-the-audit" });
    assert.equal((await api.post(`/agents/${agent.id}`, { version: 1 })).status, 409);
    await api.ok("GET", `/agents/${agent.id}`);
    const entries = await audit("--resource", agent.id);
    assert.deepEqual(operations(entries), ["agents.update", "agents.create"]);
    const { id, created_at, organization_id, actor_id, token_id, request_id, user_agent, ...rest } =
      entries[0];
    assert.deepEqual(rest, {
      type: "audit_entry",
      organization: berth.organization,
      actor_type: "user",
      actor: berth.nameOf("owner@example.com"),
      operation: "agents.update",
      resources: [agent.id],
      client: "127.0.0.1",
    });
    assert.match(`${organization_id} ${actor_id} ${token_id}`, /^org_\w{26} usr_\w{26} tok_\w{26}$/);
    assert.ok(
      Number(id) > Number(entries[1].id) && Date.parse(created_at) <= Date.now() && user_agent !== "",
    );
    await berth.logged(new RegExp(request_id));
    const line = berth.log.split("\n").find((text) => text.includes(request_id));
    assert.match(line ?? "", /"operation":"agents\.update"/);
    assert.doesNotMatch(JSON.stringify(await audit("--all")), /canary/);
  },
);

covers(["audit-log"], "audit log: commands of the operator, with their effect or not at all", async () => {
  const [ada, acme] = [berth.nameOf("ada@example.com"), berth.nameOf("acme")];
  await berth.command("admin", "organizations", "create", acme);
  await berth.command("admin", "users", "create", ada, "--org", acme);
  await assert.rejects(berth.command("admin", "users", "create", ada, "--org", acme));
  await berth.command("admin", "users", "set-role", ada, "admin");
  const token = await berth.command("bootstrap", "--user", ada);
  const entries = await audit("--org", acme);
  assert.deepEqual(operations(entries), [
    "bootstrap",
    "adminUsers.update",
    "adminUsers.create",
    "adminOrganizations.create",
  ]);
  for (const [at, { actor_type, actor_id, client }] of entries.entries())
    assert.deepEqual([actor_type, actor_id, client], ["operator", null, at === 0 ? userName() : "127.0.0.1"]);
  assert.match(entries[0].resources[0], /^tok_/);
  assert.doesNotMatch(JSON.stringify(entries), new RegExp(token));
});

covers(["audit-read"], "berth admin audit: by user, operation, resource and time, newest first", async () => {
  const began = new Date().toISOString();
  const bob = berth.nameOf("bob@example.com");
  const other: Api = await berth.client({ user: "bob@example.com" });
  const session = await makeSession(other);
  await other.ok("POST", `/sessions/${session.id}/archive`);
  assert.deepEqual(operations(await audit("--user", bob)), [
    "sessions.archive",
    "sessions.create",
    "environments.create",
    "agents.create",
  ]);
  assert.deepEqual(operations(await audit("--resource", session.id)), [
    "sessions.archive",
    "sessions.create",
  ]);
  assert.deepEqual(operations(await audit("--operation", "sessions", "--since", began)), [
    "sessions.archive",
    "sessions.create",
  ]);
  assert.deepEqual(operations(await audit("--operation", "sessions.create", "--since", began)), [
    "sessions.create",
  ]);
  const [{ actor_id: id, organization_id: organization }] = await audit("--user", bob);
  assert.equal((await audit("--user", id, "--org", organization)).length, 4, "by ids, too");
  for (const unknown of [
    ["--user", "nobody@example.com"],
    ["--org", "nowhere"],
  ])
    await assert.rejects(audit(...unknown), /There is no (user|organization)/);
  assert.ok((await audit("--until", began)).every(({ created_at }) => created_at < began));
  assert.equal((await audit("--limit", "1")).length, 1);
  const table = await berth.command("admin", "audit", "--limit", "1");
  assert.match(
    table,
    /^TIME +ACTOR +OPERATION +RESOURCES +CLIENT\n\S+Z +\S*-bob@example\.com +sessions\.archive +sess_\w+ +127/,
  );
});

function userName(): string {
  const uid = `${process.getuid?.()}`;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((text) => text.split(":")[2] === uid);
  return line?.split(":")[0] ?? `uid ${uid}`;
}

// Subject: the routes of sessions.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { newUuid, parseId } from "@berth/contract";
import { type Caller, type TestApp, testApp, type Wire } from "../../../test-support/http.ts";
import { insertSession, type NewSession } from "./new-session-store.ts";

const url = "https://github.com/octo/hello";

async function house(t: TestContext): Promise<TestApp & { owner: Caller; base: Wire }> {
  const app = await testApp(t);
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  return { ...app, owner, base: { agent: agent.id, environment_id: environment.id } };
}

describe("sessions", () => {
  test("create: stores everything at once, with sealed secrets and due events", async (t) => {
    const { owner, base, db } = await house(t);
    const file = (await owner.upload("content")).body;
    const session = await owner.made("/sessions", {
      ...base,
      title: "First",
      metadata: { team: "a" },
      environment_variables: { A: "1" },
      resources: [
        {
          type: "hosted_repository",
          url,
          authorization_token: "ghp_canary",
          checkout: { type: "branch", name: "x" },
        },
        { type: "hosted_repository", url: "https://git.example:8443/other/hello" },
        { type: "file", file_id: file.id },
      ],
      initial_events: [{ type: "user.message", content: [{ type: "text", text: "begin" }] }],
    });
    assert.deepEqual(
      session.resources.map((resource: Wire) => [resource.type, resource.mount_path]),
      [
        ["hosted_repository", "/data/hello"],
        ["hosted_repository", "/data/hello-2"],
        ["file", `/mnt/session/uploads/${file.id}`],
      ],
    );
    assert.deepEqual(session.resources[0].checkout, { type: "branch", name: "x" });
    assert.equal(session.created_at, session.updated_at);
    assert.deepEqual((await owner.get(`/sessions/${session.id}`)).body.agent, session.agent);
    const { rows } = await db.read.query<Wire>({
      text: "select * from session_resources where secret is not null",
    });
    assert.equal(rows.length, 1);
    assert.ok(!rows[0].secret.includes("canary"));
    const [row] = (await db.read.query<Wire>({ text: "select last_seq, pending_at from sessions" })).rows;
    assert.equal(row.last_seq, 1);
    assert.notEqual(row.pending_at, null);
    const events = (await owner.get(`/sessions/${session.id}/events`)).body.data;
    assert.deepEqual(
      events.map((event: Wire) => [event.type, event.processed_at]),
      [["user.message", null]],
    );
  });

  test("create: many at once, one of them with an archived environment → each has its own answer and audit entry", async (t) => {
    const { owner, base, db } = await house(t);
    const archived = await owner.made("/environments", { name: "archived" });
    await owner.post(`/environments/${archived.id}/archive`);
    const bodies = Array.from({ length: 40 }, (_, index) => ({
      ...base,
      title: `${index}`,
      metadata: { place: `${index}` },
      ...(index === 20 ? { environment_id: archived.id } : {}),
    }));
    const answers = await Promise.all(bodies.map((body) => owner.post("/sessions", body)));
    for (const [index, { status, body }] of answers.entries()) {
      if (index === 20) assert.deepEqual([status, body.error.type], [409, "conflict_error"]);
      else assert.deepEqual([status, body.title, body.metadata], [200, `${index}`, { place: `${index}` }]);
      if (index % 10 === 0 && status === 200)
        assert.deepEqual((await owner.get(`/sessions/${body.id}`)).body, { ...body, stats: body.stats });
    }
    const text =
      "select resources[1] as id from audit_entries where operation = 'sessions.create' order by 1";
    const { rows } = await db.write.query<{ id: string }>({ text });
    const made = answers.flatMap(({ status, body }) => (status === 200 ? [body.id] : []));
    assert.deepEqual(
      rows.map(({ id }) => id),
      made.toSorted(),
    );
  });

  test("create: the environment is archived, or the agent deleted, after it was read → not stored, beside one that is", async (t) => {
    const { owner, base, db } = await house(t);
    const other = await owner.made("/environments", { name: "other" });
    const made = await owner.made("/sessions", base);
    const [row] = (await db.read.query<Wire>({ text: "select * from sessions" })).rows;
    const session = (environmentId: string, agentId: string = row.agent_id): NewSession => ({
      ...row,
      id: newUuid(),
      agent: JSON.stringify(made.agent),
      agent_id: agentId,
      environment_id: environmentId,
      resources: [],
      skill_version_ids: [],
      events: [],
      due: false,
      audit: {
        organizationId: row.organization_id,
        actor: { type: "service" },
        operation: "test",
        resources: [],
        client: "test",
        userAgent: null,
        requestId: null,
      },
    });
    await owner.post(`/environments/${other.id}/archive`);
    const given = [
      session(row.environment_id),
      session(parseId("environment", other.id) ?? ""),
      session(row.environment_id, newUuid()),
      session(row.environment_id),
    ];
    const stored = await Promise.all(given.map((one) => db.store(insertSession, one)));
    assert.deepEqual(
      stored.map((one) => one?.id),
      [given[0]?.id, undefined, undefined, given[3]?.id],
    );
    const { rows } = await db.write.query({ text: "select from audit_entries where operation = 'test'" });
    assert.equal(rows.length, 2);
  });

  test("create: nothing to do → not due", async (t) => {
    const { owner, base, db } = await house(t);
    const file = (await owner.upload("content")).body;
    await owner.made("/sessions", { ...base, resources: [{ type: "file", file_id: file.id }] });
    const { rows } = await db.read.query<Wire>({ text: "select pending_at, status from sessions" });
    assert.deepEqual(rows, [{ pending_at: null, status: "idle" }]);
  });

  test("create: a reference that is absent, foreign, archived or not ready → rejected, and nothing is stored", async (t) => {
    const { owner, base, db, caller } = await house(t);
    const stranger = await caller({ email: "stranger@example.com" });
    const file = (await owner.upload("content")).body;
    const pending = (await owner.upload("content", "pending.txt")).body;
    await db.write.query({ text: "update files set status = 'pending' where filename = 'pending.txt'" });
    const files = (...ids: string[]) => ids.map((id) => ({ type: "file", file_id: id }));
    const hello = { type: "hosted_repository", url };
    for (const [status, type, param, fields] of [
      [404, "not_found_error", "agent", { agent: "agent_01h00000000000000000000000" }],
      [404, "not_found_error", "agent.version", { agent: { id: base.agent, type: "agent", version: 2 } }],
      [404, "not_found_error", "environment_id", { environment_id: "env_01h00000000000000000000000" }],
      [
        404,
        "not_found_error",
        "resources[0].file_id",
        { resources: files("file_01h00000000000000000000000") },
      ],
      [409, "conflict_error", "resources[0].file_id", { resources: files(pending.id) }],
      [400, "invalid_request_error", "resources[1].file_id", { resources: files(file.id, file.id) }],
      [
        400,
        "invalid_request_error",
        "resources[0].url",
        { resources: [{ ...hello, url: "https://gitlab.com/a/b" }] },
      ],
      [
        400,
        "invalid_request_error",
        "resources[0].url",
        { resources: [{ ...hello, url: "https://github.com:444/a/b" }] },
      ],
      [
        400,
        "invalid_request_error",
        "resources[1].mount_path",
        {
          resources: [
            { ...hello, mount_path: "/data/a" },
            { ...hello, mount_path: "/data/a/b" },
          ],
        },
      ],
    ] as const) {
      const reply = await owner.post("/sessions", { ...base, ...fields });
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.body.error.type, type);
      assert.equal(reply.body.error.param, param);
    }
    assert.equal((await stranger.post("/sessions", base)).status, 403);
    await db.write.query({ text: "update agents set archived_at = now()" });
    assert.equal((await owner.post("/sessions", base)).body.error.type, "conflict_error");
    assert.equal((await db.read.query({ text: "select 1 from sessions" })).rows.length, 0);
  });

  test("cancel: idle → unchanged; a waiting or running turn → interrupted", async (t) => {
    const { owner, base, db } = await house(t);
    const { id } = await owner.made("/sessions", base);
    const types = async () =>
      (await owner.get(`/sessions/${id}/events`)).body.data.map(({ type }: Wire) => type);
    assert.equal((await owner.post(`/sessions/${id}/cancel`)).status, 200);
    assert.deepEqual(await types(), []);
    await owner.made(`/sessions/${id}/events`, {
      events: [{ type: "user.message", content: [{ type: "text", text: "x" }] }],
    });
    await owner.made(`/sessions/${id}/cancel`, {});
    assert.deepEqual(await types(), ["user.message", "user.interrupt"]);
    await db.write.query({ text: "update events set processed_at = now()" });
    await db.write.query({ text: "update sessions set status = 'running', running_since = now()" });
    assert.equal((await owner.post(`/sessions/${id}/cancel`)).body.status, "running");
    assert.deepEqual(await types(), ["user.message", "user.interrupt", "user.interrupt"]);
    assert.equal((await owner.post(`/sessions/${id}/cancel`, { force: true })).body.error.param, "force");
  });

  test("archive: interrupts a running turn, makes the session due once, and makes it read-only", async (t) => {
    const { owner, base, db } = await house(t);
    const { id } = await owner.made("/sessions", base);
    await db.write.query({ text: "update sessions set status = 'running'" });
    const archived = (await owner.post(`/sessions/${id}/archive`)).body;
    assert.notEqual(archived.archived_at, null);
    const again = (await owner.post(`/sessions/${id}/archive`)).body;
    assert.deepEqual([again.archived_at, again.updated_at], [archived.archived_at, archived.updated_at]);
    const events = (await owner.get(`/sessions/${id}/events`)).body.data;
    assert.deepEqual(
      events.map(({ type }: Wire) => type),
      ["user.interrupt"],
    );
    const message = { events: [{ type: "user.message", content: [{ type: "text", text: "x" }] }] };
    for (const [path, body] of [["events", message], ["cancel"], ["terminate"]] as const) {
      const reply = await owner.post(`/sessions/${id}/${path}`, body);
      assert.deepEqual([reply.status, reply.body.error.type], [403, "permission_error"], path);
    }
    assert.deepEqual((await owner.get("/sessions")).body.data, []);
    assert.equal((await owner.get("/sessions?include_archived=true")).body.data.length, 1);
    assert.notEqual(
      (await db.read.query<Wire>({ text: "select pending_at from sessions" })).rows[0].pending_at,
      null,
    );
  });

  test("terminate: nothing is appended to the log afterwards", async (t) => {
    const { owner, base } = await house(t);
    const { id } = await owner.made("/sessions", base);
    const ended = (await owner.post(`/sessions/${id}/terminate`)).body;
    assert.equal(ended.status, "terminated");
    const message = { events: [{ type: "user.interrupt" }] };
    for (const [path, body] of [["events", message], ["cancel"], ["terminate"]] as const) {
      const reply = await owner.post(`/sessions/${id}/${path}`, body);
      assert.deepEqual([reply.status, reply.body.error.type], [409, "conflict_error"], path);
      assert.equal(reply.headers["x-should-retry"], "false");
    }
    assert.equal(
      (await owner.post(`/sessions/${id}/archive`)).status,
      200,
      "a terminated session can be archived",
    );
  });

  test("stats: active time grows while a turn runs", async (t) => {
    const { owner, base, db } = await house(t);
    const { id } = await owner.made("/sessions", base);
    await db.write.query({
      text: "update sessions set active_ms = 1500, running_since = now() - interval '1700 milliseconds', status = 'running'",
    });
    const { stats } = (await owner.get(`/sessions/${id}`)).body;
    assert.equal(stats.active_seconds, 3);
    assert.ok(stats.duration_seconds >= stats.active_seconds);
  });

  test("list: filters by agent, environment and status", async (t) => {
    const { owner, base } = await house(t);
    const other = await owner.made("/agents", { name: "b", model: "rehearsal/steps" });
    const first = await owner.made("/sessions", base);
    const second = await owner.made("/sessions", {
      ...base,
      agent: { id: other.id, type: "agent", version: 1 },
    });
    await owner.post(`/sessions/${first.id}/terminate`);
    const ids = async (query: string) =>
      (await owner.get(`/sessions?${query}`)).body.data.map(({ id }: Wire) => id);
    assert.deepEqual(await ids(`agent_id=${other.id}`), [second.id]);
    assert.deepEqual(await ids(`environment_id=${base.environment_id}`), [second.id, first.id]);
    assert.deepEqual(await ids("statuses[]=terminated"), [first.id]);
    assert.deepEqual(await ids("statuses[]=terminated&statuses[]=idle"), [second.id, first.id]);
  });
});

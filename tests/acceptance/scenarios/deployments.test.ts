import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { waitUntil } from "../harness/wait-until.ts";

const { berth, api } = await sharedService();

const CRON = { type: "cron", expression: "0 3 * * *", timezone: "Europe/Berlin" };

async function deploy(fields: object = {}): Promise<AnyJson> {
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  return await api.ok("POST", "/deployments", {
    ...{ name: "nightly", agent: agent.id, environment_id: environment.id, schedule: CRON },
    initial_events: [steps(bash("echo from the deployment"))],
    ...fields,
  });
}

async function runsOf({ id }: AnyJson): Promise<AnyJson[]> {
  return (await api.ok("GET", `/deployments/${id}/runs`)).data;
}

async function ended(id: string): Promise<AnyJson> {
  const read = () => api.ok("GET", `/sessions/${id}`);
  await waitUntil(
    async () => (await read()).last_turn !== null,
    () => `the turn of ${id} has not ended`,
  );
  return await read();
}

covers(
  ["deployment-crud"],
  "deployments: made, read, listed, changed and archived, without the tokens of repositories",
  async () => {
    const token = "token-of-a-deployment";
    const resources = [{ type: "git_repository", url: "https://git.invalid/a/b", password: token }];
    const made = await deploy({ resources, metadata: { team: "core" } });
    const at = `/deployments/${made.id}`;
    assert.deepEqual(await api.ok("GET", at), made);
    assert.equal((await api.ok("GET", "/deployments?limit=1")).data[0].id, made.id);
    const changed = await api.ok("POST", at, { description: "Each night.", metadata: { team: null } });
    assert.deepEqual([changed.description, changed.metadata, changed.name], ["Each night.", {}, "nightly"]);
    const archived = await api.ok("POST", `${at}/archive`);
    assert.notEqual(archived.archived_at, null);
    assertError(await api.post(at, { name: "other" }), 403, "permission_error");
    assertError(await api.post(`${at}/run`), 403, "permission_error");
    for (const answer of [made, changed, archived]) assert.ok(!JSON.stringify(answer).includes(token));
    const agent = await makeAgent(api);
    await api.ok("POST", `/agents/${agent.id}/archive`);
    const { id } = await deploy();
    assertError(await api.post(`/deployments/${id}`, { agent: agent.id }), 409, "conflict_error");
  },
);

covers(
  ["deployment-scheduled", "deployment-runs"],
  "at a time: one session, which runs by itself and has its deployment",
  async () => {
    const { created_at: now } = await makeEnvironment(api);
    const at = new Date(Date.parse(now) + 5_000).toISOString();
    const made = await deploy({ schedule: { type: "at", at } });
    await waitUntil(
      async () => (await runsOf(made)).length > 0,
      () => "it did not run",
    );
    const [run] = await runsOf(made);
    assert.deepEqual([run?.error, run?.trigger_context], [null, { type: "schedule", scheduled_at: at }]);
    const session = await ended(run?.session_id);
    assert.deepEqual([session.deployment_id, session.title], [made.id, "nightly"]);
    const { data } = await api.ok("GET", `/sessions/${session.id}/events?types[]=agent.tool_result`);
    assert.match(JSON.stringify(data), /from the deployment/);
    const listed = await api.ok("GET", `/sessions?deployment_id=${made.id}`);
    assert.deepEqual(
      listed.data.map(({ id }: AnyJson) => id),
      [session.id],
    );
    const { schedule } = await api.ok("GET", `/deployments/${made.id}`);
    assert.deepEqual([schedule.last_run_at, schedule.upcoming_runs_at], [at, []]);
    assert.equal((await runsOf(made)).length, 1);
  },
);

covers(
  ["deployment-by-hand", "deployment-paused"],
  "by hand, also while paused; five runs that fail for good pause it with the reason",
  async () => {
    const made = await deploy();
    const at = `/deployments/${made.id}`;
    assert.equal((await api.ok("POST", `${at}/pause`)).status, "paused");
    const run = await api.ok("POST", `${at}/run`);
    assert.equal(run.succeeded_at, null);
    const session = await ended(run.session_id);
    assert.equal(session.deployment_id, made.id);
    const done = { ...run, succeeded_at: session.last_turn.ended_at };
    assert.equal((await api.ok("POST", `${at}/unpause`)).status, "active");
    await api.ok("POST", `/agents/${made.agent.id}/archive`);
    for (let count = 0; count < 5; count++)
      assert.equal((await api.ok("POST", `${at}/run`)).error.type, "agent_archived_error");
    const paused = await api.ok("GET", at);
    assert.deepEqual(
      [paused.status, paused.paused_reason],
      ["paused", { type: "error", error: { type: "agent_archived_error" } }],
    );
    assert.equal((await api.ok("GET", `${at}/runs?has_error=true&trigger_type=manual`)).data.length, 5);
    const { data } = await api.ok("GET", `/deployment_runs?deployment_id=${made.id}&has_error=false`);
    assert.deepEqual(data, [done]);
    assert.deepEqual(await api.ok("GET", `/deployment_runs/${run.id}`), done);
  },
);

covers(["deployment-bad-schedule"], "a schedule that is none: 400 with a form that is right", async () => {
  const { id } = await deploy();
  const refused = async (schedule: object, param: string, message: RegExp) => {
    const response = await api.post(`/deployments/${id}`, { schedule });
    assertError(response, 400, "invalid_request_error", { param, message });
  };
  await refused({ ...CRON, expression: "@daily" }, "schedule.expression", /write '0 0 \* \* \*'/);
  await refused({ ...CRON, expression: "0 0 30 2 *" }, "schedule.expression", /never runs/);
  await refused({ ...CRON, timezone: "Europe/Berln" }, "schedule.timezone", /'Europe\/Berlin'/);
  await refused({ type: "at", at: "2020-01-01T00:00:00.000Z" }, "schedule.at", /in the future/);
});

covers(
  ["deployment-shared"],
  "shared: a colleague who may write runs it, and follows the session, which is its owner's",
  async () => {
    const client = await berth.client({ user: "deployments-colleague@example.com" });
    const made = await deploy();
    const at = `/deployments/${made.id}`;
    assertError(await client.get(at), 403, "permission_error");
    await api.ok("POST", `${at}/share`, {
      user: (await client.ok("GET", "/whoami")).principal.id,
      access: "write",
    });
    const run = await client.ok("POST", `${at}/run`);
    const session = await client.ok("GET", `/sessions/${run.session_id}`);
    assert.equal(session.owner_id, made.owner_id);
    assertError(await client.post(at, { name: "mine" }), 403, "permission_error");
    assert.equal((await client.ok("GET", "/deployments?shared_with_me=true")).data[0].id, made.id);
  },
);

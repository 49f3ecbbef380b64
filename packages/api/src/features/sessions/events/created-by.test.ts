// Subject: the creator that an event names, the audit entries about it, and who is told to have been first.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatId, newUuid, parseId } from "@berth/contract";
import { appendByRun, appendRunning } from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
import { openPage } from "../../../../test-support/console.ts";
import { type Caller, testApp, type Wire } from "../../../../test-support/http.ts";

async function house(t: TestContext) {
  const app = await testApp(t);
  const robot = await app.caller({ kind: "sat", email: "robot" });
  const agent = await robot.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await robot.made("/environments", { name: "e" });
  const { id } = await robot.made("/sessions", { agent: agent.id, environment_id: environment.id });
  const lease = async () => await seedLease(app.db.write, parseId("session", id) ?? "", "own");
  return {
    ...app,
    robot,
    id: id as string,
    lease,
    /** Announces a call that waits for a reply, and returns its id. */
    ask: async (type: "agent.tool_use" | "agent.custom_tool_use" = "agent.tool_use") => {
      const call = formatId("event", newUuid());
      const event =
        type === "agent.tool_use"
          ? { type, name: "Bash", input: {}, evaluated_permission: "ask" as const }
          : { type, name: "ticket", input: {} };
      await appendByRun(app.db.write, await lease(), [{ id: call, event }]);
      return call;
    },
    log: async (type: string): Promise<Wire[]> =>
      (await robot.get(`/sessions/${id}/events?types[]=${type}`)).body.data,
    audit: async () => {
      const text = `select operation, resources, actor_type from audit_entries
        where operation like 'events.%' or operation = 'sessions.cancel' order by id`;
      return (await app.db.read.query<Wire>({ text })).rows;
    },
  };
}

async function who(caller: Caller): Promise<Wire> {
  const { principal } = (await caller.get("/whoami")).body;
  const via = principal.type === "user" ? "personal_access_token" : "service_account_token";
  return { type: principal.type, id: principal.id, name: principal.name, via };
}

const confirm = (call: string, result: "allow" | "deny") => ({
  type: "user.tool_confirmation",
  tool_use_id: call,
  result,
});

test("a decision says who made it, and so does the audit log, with the call; a client cannot say it is another", async (t) => {
  const { caller, robot, id, ask, log, audit } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const send = async (from: Caller, ...events: Wire[]) =>
    await from.post(`/sessions/${id}/events`, { events });
  const [one, two, three, ticket] = [
    await ask(),
    await ask(),
    await ask(),
    await ask("agent.custom_tool_use"),
  ];
  const forged = await send(ada, { ...confirm(one, "allow"), created_by: await who(robot) });
  assert.deepEqual([forged.status, forged.body.error.param], [400, "events[0].created_by"]);
  const sent = await send(ada, confirm(one, "allow"));
  assert.deepEqual(sent.body.data[0].created_by, await who(ada), "in the response as well");
  await send(robot, confirm(two, "deny"), { type: "user.custom_tool_result", custom_tool_use_id: ticket });
  await send(ada, confirm(three, "deny"));
  assert.deepEqual(
    (await log("user.tool_confirmation")).map(({ tool_use_id, result, created_by }) => [
      tool_use_id,
      result,
      created_by,
    ]),
    [
      [one, "allow", await who(ada)],
      [two, "deny", await who(robot)],
      [three, "deny", await who(ada)],
    ],
  );
  assert.deepEqual((await log("user.custom_tool_result"))[0].created_by, await who(robot));
  assert.deepEqual(await audit(), [
    { operation: "events.send allow", resources: [id, one], actor_type: "user" },
    { operation: "events.send deny", resources: [id, two, ticket], actor_type: "service_account" },
    { operation: "events.send deny", resources: [id, three], actor_type: "user" },
  ]);
  const both = [await ask(), await ask()];
  await send(ada, confirm(both[0] ?? "", "deny"), confirm(both[1] ?? "", "allow"));
  assert.equal((await audit()).at(-1)?.operation, "events.send allow deny");
});

test("a message and an interrupt say who sent them, by whichever operation", async (t) => {
  const { db, caller, robot, id, lease, log } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  await ada.post(`/sessions/${id}/events`, {
    events: [{ type: "user.message", content: [{ type: "text", text: "hi" }] }, { type: "user.interrupt" }],
  });
  assert.deepEqual((await log("user.message"))[0]?.created_by, await who(ada));
  await appendRunning(db.write, await lease());
  await robot.post(`/sessions/${id}/cancel`);
  await ada.post(`/sessions/${id}/archive`);
  assert.deepEqual(
    (await log("user.interrupt")).map(({ created_by }) => created_by),
    [await who(ada), await who(robot), await who(ada)],
  );
});

test("the name is that of the time: a later one changes no event", async (t) => {
  const { db, robot, id, log } = await house(t);
  const events = [{ type: "system.message", content: [{ type: "text", text: "hi" }] }];
  const before = await who(robot);
  await robot.post(`/sessions/${id}/events`, { events });
  await db.write.query({ text: "update service_accounts set name = 'droid'" });
  await robot.post(`/sessions/${id}/events`, { events });
  assert.deepEqual(
    (await log("system.message")).map(({ created_by }) => created_by),
    [before, { ...before, name: "droid" }],
  );
});

test("a sign-in to the console is told from a token; initial events have their creator, too", async (t) => {
  const { app, caller, robot } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const page = openPage(app);
  await page.signIn(ada.token);
  const agent = await robot.made("/agents", { name: "b", model: "rehearsal/steps" });
  const environment = await robot.made("/environments", { name: "f" });
  const message = { type: "user.message", content: [{ type: "text", text: "hi" }] };
  const { body: session } = await page.post("/sessions", {
    ...{ agent: agent.id, environment_id: environment.id, initial_events: [message] },
  });
  const { data } = (await ada.get(`/sessions/${session.id}/events`)).body;
  assert.deepEqual(data[0].created_by, { ...(await who(ada)), via: "console" });
});

test("events of version 0.1 stay readable, with their sender", async (t) => {
  const { db, robot, ask, id, log } = await house(t);
  const call = await ask();
  await robot.post(`/sessions/${id}/events`, { events: [confirm(call, "allow")] });
  const { type, id: robotId } = await who(robot);
  const old = { tool_use_id: call, result: "allow", sent_by: { type, id: robotId } };
  await db.write.query({
    text: "update events set body = $1 where type = 'user.tool_confirmation'",
    values: [JSON.stringify(old)],
  });
  const [event] = await log("user.tool_confirmation");
  assert.deepEqual([event?.sent_by, event?.created_by], [{ type, id: robotId }, undefined]);
  const second = await robot.post(`/sessions/${id}/events`, { events: [confirm(call, "deny")] });
  assert.match(second.body.error.message, new RegExp(`It was allowed by ${robotId} at 2`));
});

test("a second reply is told who was first, and when", async (t) => {
  const { caller, robot, id, ask, log } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  const send = async (from: Caller, ...events: Wire[]) =>
    await from.post(`/sessions/${id}/events`, { events });
  const [allowed, denied, ticket, interrupted] = [
    await ask(),
    await ask(),
    await ask("agent.custom_tool_use"),
    await ask(),
  ];
  const result = (call: string) => ({ type: "user.custom_tool_result", custom_tool_use_id: call });
  await send(ada, confirm(allowed, "allow"));
  await send(robot, confirm(denied, "deny"), result(ticket));
  await send(ada, { type: "user.interrupt" });
  const decided = await log("user.tool_confirmation");
  const [answered] = await log("user.custom_tool_result");
  const [stopped] = await log("user.interrupt");
  const { name: ada_ } = await who(ada);
  const { name: robot_ } = await who(robot);
  for (const [event, words] of [
    [confirm(allowed, "deny"), `was allowed by ${ada_} at ${decided[0]?.created_at}.`],
    [confirm(denied, "allow"), `was denied by ${robot_} at ${decided[1]?.created_at}.`],
    [result(ticket), `got its result from ${robot_} at ${answered?.created_at}.`],
    [confirm(interrupted, "allow"), `was interrupted by ${ada_} at ${stopped?.created_at}.`],
  ] as const) {
    const second = await send(robot, event);
    assert.deepEqual([second.status, second.body.error.type], [409, "conflict_error"], words);
    assert.equal(second.body.error.message, `The call does not await a reply. It ${words}`);
    assert.match(second.body.error.param, /^events\[0\]\.(custom_)?tool_use_id$/);
  }
});

// Subject: the sender that an event names, and the audit entries about it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatId, newUuid, parseId } from "@berth/contract";
import { appendByRun, appendRunning } from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
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
  return { type: principal.type, id: principal.id };
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
  const forged = await send(ada, { ...confirm(one, "allow"), sent_by: await who(robot) });
  assert.deepEqual([forged.status, forged.body.error.param], [400, "events[0].sent_by"]);
  const sent = await send(ada, confirm(one, "allow"));
  assert.deepEqual(sent.body.data[0].sent_by, await who(ada), "in the response as well");
  await send(robot, confirm(two, "deny"), { type: "user.custom_tool_result", custom_tool_use_id: ticket });
  await send(ada, confirm(three, "deny"));
  assert.deepEqual(
    (await log("user.tool_confirmation")).map(({ tool_use_id, result, sent_by }) => [
      tool_use_id,
      result,
      sent_by,
    ]),
    [
      [one, "allow", await who(ada)],
      [two, "deny", await who(robot)],
      [three, "deny", await who(ada)],
    ],
  );
  assert.deepEqual((await log("user.custom_tool_result"))[0].sent_by, await who(robot));
  assert.deepEqual(await audit(), [
    { operation: "events.send allow", resources: [id, one], actor_type: "user" },
    { operation: "events.send deny", resources: [id, two, ticket], actor_type: "service_account" },
    { operation: "events.send deny", resources: [id, three], actor_type: "user" },
  ]);
  const both = [await ask(), await ask()];
  await send(ada, confirm(both[0] ?? "", "deny"), confirm(both[1] ?? "", "allow"));
  assert.equal((await audit()).at(-1)?.operation, "events.send allow deny");
});

test("an interrupt says who sent it, by whichever operation; a message has what it had", async (t) => {
  const { db, caller, robot, id, lease, log } = await house(t);
  const ada = await caller({ email: "ada@example.com" });
  await ada.post(`/sessions/${id}/events`, {
    events: [{ type: "user.message", content: [{ type: "text", text: "hi" }] }, { type: "user.interrupt" }],
  });
  assert.ok(!("sent_by" in (await log("user.message"))[0]));
  await appendRunning(db.write, await lease());
  await robot.post(`/sessions/${id}/cancel`);
  await ada.post(`/sessions/${id}/archive`);
  assert.deepEqual(
    (await log("user.interrupt")).map(({ sent_by }) => sent_by),
    [await who(ada), await who(robot), await who(ada)],
  );
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatId, MAX_CONFIRMATION_RULES, newUuid, parseId } from "@berth/contract";
import { appendByRun } from "@berth/runs/test-support/internals/lease";
import { confirmationRules } from "@berth/store/session-log";
import { seedLease } from "@berth/store/test-support/runs";
import { type Caller, testApp, type Wire } from "../../../../test-support/http.ts";

async function house(t: TestContext) {
  const app = await testApp(t);
  const ada = await app.caller({ email: "ada@example.com" });
  const agent = await ada.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await ada.made("/environments", { name: "e" });
  const { id } = await ada.made("/sessions", { agent: agent.id, environment_id: environment.id });
  const uuid = parseId("session", id) ?? "";
  const { principal } = (await ada.get("/whoami")).body;
  const announce = async (event: Wire): Promise<string> => {
    const call = formatId("event", newUuid());
    const lease = await seedLease(app.db.write, uuid, "own");
    await appendByRun(app.db.write, lease, [{ id: call, event: event as never }]);
    return call;
  };
  return {
    ...app,
    ada,
    id: id as string,
    uuid,
    path: `/sessions/${id}/confirmation_rules`,
    /** The creator of what Ada does. */
    by: { type: "user", id: principal.id, name: principal.name, via: "personal_access_token" },
    announce,
    ask: (parts: Wire = {}) =>
      announce({ type: "agent.tool_use", name: "Bash", input: {}, evaluated_permission: "ask", ...parts }),
    send: (...events: Wire[]) => ada.post(`/sessions/${id}/events`, { events }),
    rules: async (caller: Caller = ada): Promise<Wire[]> =>
      (await caller.get(`/sessions/${id}/confirmation_rules?limit=100`)).body.data,
    log: async (...types: string[]): Promise<Wire[]> =>
      (await ada.get(`/sessions/${id}/events?${types.map((type) => `types[]=${type}`).join("&")}`)).body.data,
  };
}

const always = (call: string, rule: Wire = {}) => ({
  type: "user.tool_confirmation",
  tool_use_id: call,
  result: "allow",
  always: rule,
});

const ADDED = "session.confirmation_rule_added";
const REMOVED = "session.confirmation_rule_removed";

test("always: adds a rule, with its event, which is listed and can be revoked, with its event", async (t) => {
  const { db, ada, uuid, path, by, ask, send, rules, log } = await house(t);
  const call = await ask();
  const sent = await send(always(call, { command_prefix: "  npm test\n" }));
  assert.equal(sent.status, 200, sent.text);
  assert.equal(sent.body.data.length, 1, "the response has the events that were sent");
  const [rule, ...more] = await rules();
  assert.deepEqual(more, []);
  const scope = { tool_name: "Bash", mcp_server_name: null, command_prefix: "npm test" };
  const { id: rule_id, session_id, created_at, ...rest } = rule ?? {};
  assert.deepEqual(rest, { type: "confirmation_rule", ...scope, created_by: by });
  assert.deepEqual([parseId("session", session_id), /Z$/.test(created_at)], [uuid, true]);
  const [confirmed, added] = await log("user.tool_confirmation", ADDED);
  assert.deepEqual(confirmed?.always, { command_prefix: "  npm test\n" }, "as it was sent");
  assert.deepEqual(
    { ...added, id: "", created_at: "", processed_at: "" },
    {
      ...{ id: "", type: ADDED, created_at: "", processed_at: "" },
      ...{ confirmation_rule_id: rule_id, ...scope, tool_use_id: call, created_by: by },
    },
  );
  assert.equal(added?.processed_at, added?.created_at);
  assert.equal((await confirmationRules(db.read, uuid)).length, 1, "the run reads it");
  assert.deepEqual((await ada.delete(`${path}/${rule_id}`)).body, {
    id: rule_id,
    type: "confirmation_rule_deleted",
  });
  assert.deepEqual(await rules(), []);
  const [removed] = await log(REMOVED);
  assert.deepEqual(
    [removed?.confirmation_rule_id, removed?.command_prefix, removed?.created_by],
    [rule_id, "npm test", by],
  );
  for (const gone of [rule_id, "crule_00000000000000000000000000", "nonsense"])
    assert.equal((await ada.delete(`${path}/${gone}`)).status, 404, gone);
  assert.equal((await log(REMOVED)).length, 1);
});

test("always: for all calls of a tool, and for a tool of an MCP server; the same rule is added once", async (t) => {
  const { ask, send, rules, log } = await house(t);
  const mcp = { type: "agent.mcp_tool_use", mcp_server_name: "shop", name: "buy" };
  const calls = [await ask(), await ask(), await ask(mcp), await ask({ name: "Write" })];
  const sent = await send(...calls.slice(0, 3).map((call) => always(call)));
  assert.equal(sent.status, 200, sent.text);
  await send(always(calls[3] ?? "", { command_prefix: null }));
  assert.deepEqual(
    (await rules()).map((one) => [one.mcp_server_name, one.tool_name, one.command_prefix]).toReversed(),
    [
      [null, "Bash", null],
      ["shop", "buy", null],
      [null, "Write", null],
    ],
  );
  assert.equal((await log(ADDED)).length, 3);
});

test("always: what is rejected, with all events of the request", async (t) => {
  const { announce, ask, send, rules, log } = await house(t);
  const call = await ask();
  const write = await ask({ name: "Write" });
  const mcp = await ask({ type: "agent.mcp_tool_use", mcp_server_name: "shop", name: "Bash" });
  const custom = await announce({ type: "agent.custom_tool_use", name: "ticket", input: {} });
  const prefix = "events[0].always.command_prefix";
  const rejected: [Wire, string][] = [
    [{ ...always(call), result: "deny" }, "events[0].always"],
    [always(call, { tool_name: "Write" }), "events[0].always.tool_name"],
    [always(write, { command_prefix: "npm" }), prefix],
    [always(mcp, { command_prefix: "npm" }), prefix],
    [always(call, { command_prefix: "" }), prefix],
    [always(call, { command_prefix: " \t" }), prefix],
    [always(call, { command_prefix: "x".repeat(1_001) }), prefix],
    [always(custom), "events[0].tool_use_id"],
    ...["a; b", "a && b", "a | b", "a\nb", "$(a)", "`a`", "a > b", "a < b", "(a)", "a $'b'", "$"].map(
      (command_prefix): [Wire, string] => [always(call, { command_prefix }), prefix],
    ),
  ];
  for (const [event, param] of rejected) {
    const { status, body } = await send(event);
    assert.deepEqual([status, body.error?.param], [400, param], JSON.stringify([event, body]));
  }
  assert.deepEqual([await rules(), await log("user.tool_confirmation", ADDED)], [[], []]);
});

test("always: of two confirmations of a call one adds its rule, and the other nothing", async (t) => {
  const { ask, send, rules, log } = await house(t);
  for (let round = 1; round <= 5; round++) {
    const call = await ask();
    const replies = await Promise.all(
      ["one", "two"].map((name) => send(always(call, { command_prefix: `${name} ${round}` }))),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
    assert.equal((await rules()).length, round);
    assert.equal((await log(ADDED)).length, round);
  }
});

test("a session has at most so many rules; one more is 400, and its confirmation is not stored", async (t) => {
  const { db, ada, uuid, path, by, ask, send, rules, log } = await house(t);
  await db.write.query({
    text: `insert into confirmation_rules (id, session_id, tool_name, command_prefix, created_by)
      select gen_random_uuid(), $1, 'Bash', 'p' || n, $2 from generate_series(1, $3) as n`,
    values: [uuid, JSON.stringify(by), MAX_CONFIRMATION_RULES],
  });
  const call = await ask();
  const { status, body } = await send(always(call, { command_prefix: "more" }));
  assert.deepEqual([status, body.error.param], [400, "events[0].always"]);
  assert.match(body.error.message, /already has 100 confirmation rules, which is the maximum/);
  assert.deepEqual(await log("user.tool_confirmation"), []);
  assert.equal(
    (await send(always(call, { command_prefix: "p1" }))).status,
    200,
    "one that it has is none more",
  );
  const [any] = await rules();
  await ada.delete(`${path}/${any?.id}`);
  assert.equal((await send(always(await ask(), { command_prefix: "more" }))).status, 200);
});

test("rules of others, and of a session that has ended", async (t) => {
  const { caller, ada, id, path, ask, send, rules } = await house(t);
  const other = await caller({ email: "eve@example.com" });
  await send(always(await ask()));
  const [rule] = await rules();
  for (const reply of [await other.get(path), await other.delete(`${path}/${rule?.id}`)])
    assert.ok(reply.status === 403 || reply.status === 404, String(reply.status));
  await ada.post(`/sessions/${id}/archive`);
  assert.equal((await ada.delete(`${path}/${rule?.id}`)).status, 403);
  assert.equal((await rules()).length, 1, "they stay readable");
});

test("a reply to a call that a rule allowed is told which rule, and of whom", async (t) => {
  const { by, announce, ask, send, rules } = await house(t);
  await send(always(await ask()));
  const [rule] = await rules();
  const applied = { id: rule?.id, command_prefix: null, created_by: by };
  const allowed = { type: "agent.tool_use", name: "Bash", input: {}, evaluated_permission: "allow" };
  const call = await announce({ ...allowed, confirmation_rule: applied });
  const { status, body } = await send({ type: "user.tool_confirmation", tool_use_id: call, result: "deny" });
  assert.equal(status, 409);
  assert.match(
    body.error.message,
    new RegExp(`It was allowed by the confirmation rule '${rule?.id}' of ${by.name} at 2`),
  );
});

test("a rule can be created by itself; it is one of the session's like the others", async (t) => {
  const { ada, path, by, ask, send, rules, log } = await house(t);
  const made = await ada.made(path, { tool_name: "Bash", command_prefix: " npm test " });
  assert.deepEqual([made.command_prefix, made.created_by], ["npm test", by]);
  assert.deepEqual(
    await ada.made(path, { tool_name: "Bash", command_prefix: "npm test" }),
    made,
    "it is there",
  );
  const whole = await ada.made(path, { tool_name: "buy", mcp_server_name: "shop" });
  assert.deepEqual(await rules(), [whole, made]);
  const added = await log(ADDED);
  assert.deepEqual(
    added.map((event) => [event.confirmation_rule_id, event.mcp_server_name, "tool_use_id" in event]),
    [
      [made.id, null, false],
      [whole.id, "shop", false],
    ],
  );
  await send(always(await ask(), { command_prefix: "npm test" }));
  assert.equal((await log(ADDED)).length, 2, "the confirmation adds none");
  for (const [body, param] of [
    [{ tool_name: "buy" }, "tool_name"],
    [{ tool_name: "Write", command_prefix: "npm" }, "command_prefix"],
    [{ tool_name: "Bash", mcp_server_name: "shop", command_prefix: "npm" }, "command_prefix"],
    [{ tool_name: "Bash", command_prefix: "a; b" }, "command_prefix"],
    [{ command_prefix: "a" }, "tool_name"],
  ] as const) {
    const refused = await ada.post(path, body);
    assert.deepEqual([refused.status, refused.body.error.param], [400, param], JSON.stringify(body));
  }
});

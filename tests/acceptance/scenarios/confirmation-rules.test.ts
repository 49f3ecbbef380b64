import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { api, berth } = await sharedService();

const policy = (name: string, type: string) => ({ name, permission_policy: { type } });

async function sessionOf(client: Api, ...configs: AnyJson[]): Promise<string> {
  const agent = await makeAgent(client, { tools: [{ type: "agent_toolset_20260401", configs }] });
  const environment = await makeEnvironment(client);
  return (await client.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id })).id;
}

const ofType = (events: AnyJson[], ...types: string[]): AnyJson[] =>
  events.filter(({ type }) => types.includes(type));

/** Returns the ids of the calls that the newest session.status_idle waits for. */
const waitingCalls = (events: AnyJson[]): string[] =>
  ofType(events, "session.status_idle").at(-1).stop_reason.event_ids ?? [];

const confirm = (id: string, fields: AnyJson = {}) => ({
  type: "user.tool_confirmation",
  tool_use_id: id,
  result: "allow",
  ...fields,
});

async function send(client: Api, session: string, ...events: AnyJson[]): Promise<AnyJson[]> {
  const sent = await client.ok("POST", `/sessions/${session}/events`, { events });
  return await waitForTurn(client, session, sent.data[0].id);
}

/** Runs a turn with one command, and returns its call and what the turn waits for. */
async function command(client: Api, session: string, text: string): Promise<[AnyJson, string[]]> {
  const turn = await runTurn(client, session, bash(text), { say: "done" });
  return [ofType(turn, "agent.tool_use")[0], waitingCalls(turn)];
}

const rulesOf = async (client: Api, session: string): Promise<AnyJson[]> =>
  (await client.ok("GET", `/sessions/${session}/confirmation_rules`)).data;

covers(
  ["confirm-always", "confirm-rules"],
  "always: later calls that begin with the prefix run without asking, until the rule is revoked",
  async () => {
    const session = await sessionOf(api, policy("Bash", "always_ask"));
    const [call, waiting] = await command(api, session, "echo one");
    assert.deepEqual(waiting, [call.id]);
    const ran = await send(api, session, confirm(call.id, { always: { command_prefix: "echo" } }));
    assert.deepEqual(toolResults(ran), ["one"]);
    const [rule] = await rulesOf(api, session);
    const { principal } = await api.ok("GET", "/whoami");
    assert.deepEqual([rule.command_prefix, rule.created_by.name], ["echo", principal.name]);

    const turn = await runTurn(api, session, bash("echo two words"), { say: "done", expect: "two words" });
    const [allowed] = ofType(turn, "agent.tool_use");
    assert.equal(allowed.evaluated_permission, "allow");
    assert.deepEqual(allowed.confirmation_rule, {
      ...{ id: rule.id, command_prefix: "echo", created_by: rule.created_by },
    });
    assert.deepEqual(toolResults(turn), ["two words"]);
    const late = await api.post(`/sessions/${session}/events`, {
      events: [confirm(allowed.id, { result: "deny" })],
    });
    assertError(late, 409, "conflict_error", { param: "events[0].tool_use_id" });
    assert.ok(
      late.body.error.message.includes(`rule '${rule.id}' of ${principal.name} at `),
      late.body.error.message,
    );

    for (const other of [
      "echo a; touch /data/x",
      "echo $(touch /data/x)",
      "echo a\ntouch /data/x",
      "echoes",
    ]) {
      const [asked, waits] = await command(api, session, other);
      assert.deepEqual([asked.evaluated_permission, waits], ["ask", [asked.id]], other);
      assert.ok(!("confirmation_rule" in asked), other);
      await send(api, session, { type: "user.interrupt" });
    }
    await api.ok("DELETE", `/sessions/${session}/confirmation_rules/${rule.id}`);
    const [again, waits] = await command(api, session, "echo three");
    assert.deepEqual(waits, [again.id], "it asks again");
    const log = (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
    assert.deepEqual(
      ofType(log, "session.confirmation_rule_added", "session.confirmation_rule_removed").map(
        ({ type, confirmation_rule_id: id, created_by: by }) => [type, id, by.name],
      ),
      [
        ["session.confirmation_rule_added", rule.id, principal.name],
        ["session.confirmation_rule_removed", rule.id, principal.name],
      ],
    );
  },
);

covers(
  ["confirm-rules"],
  "a rule allows nothing that the agent denies, nothing in another session, and no other tool",
  async () => {
    const denying = await sessionOf(api, policy("Bash", "always_deny"));
    await api.ok("POST", `/sessions/${denying}/confirmation_rules`, { tool_name: "Bash" });
    const [denied, none] = await command(api, denying, "echo a");
    assert.deepEqual([denied.evaluated_permission, none], ["deny", []]);

    const asking = await sessionOf(api, policy("Bash", "always_ask"));
    await api.ok("POST", `/sessions/${asking}/confirmation_rules`, { tool_name: "Glob" });
    const other = await sessionOf(api, policy("Bash", "always_ask"));
    await api.ok("POST", `/sessions/${other}/confirmation_rules`, { tool_name: "Bash" });
    const [call, waiting] = await command(api, asking, "echo a");
    assert.deepEqual(waiting, [call.id]);
  },
);

covers(["confirm-rules"], "rules survive a kill of the service", async () => {
  const own = await Berth.start();
  const first = await own.client();
  const session = await sessionOf(first, policy("Bash", "always_ask"));
  const [call] = await command(first, session, "echo one");
  const sent = await first.ok("POST", `/sessions/${session}/events`, {
    events: [confirm(call.id, { always: {} })],
  });
  await own.kill("SIGKILL");
  const again = await Berth.start({ dataDir: own.dataDir });
  try {
    const client = new (first.constructor as typeof Api)(again.url, first.token);
    await waitForTurn(client, session, sent.data[0].id);
    const turn = await runTurn(client, session, bash("echo two | cat"), { say: "done" });
    assert.deepEqual(toolResults(turn), ["two"], "the rule is for all calls of the tool");
  } finally {
    await again.stop();
  }
});

covers(["confirm-first"], "a second answer is told who was first, and when", async () => {
  const admin = await berth.client({ user: "first@example.com", role: "admin" });
  const session = await sessionOf(api, policy("Bash", "always_ask"));
  const [call] = await command(api, session, "echo one");
  await send(admin, session, confirm(call.id, { result: "deny", deny_message: "Not now." }));
  const second = await api.post(`/sessions/${session}/events`, { events: [confirm(call.id)] });
  assertError(second, 409, "conflict_error", { param: "events[0].tool_use_id" });
  const log = (await api.ok("GET", `/sessions/${session}/events?types[]=user.tool_confirmation`)).data;
  assert.equal(log.length, 1);
  assert.equal(
    second.body.error.message,
    `The call does not await a reply. It was denied by ${berth.nameOf("first@example.com")} at ${log[0].created_at}.`,
  );
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

test("sessions allow and deny: waiting calls are confirmed", { timeout: 600_000 }, async () => {
  const toolset = {
    type: "agent_toolset_20260401",
    configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
  };
  const agent = await service.json(
    ...[
      "agents",
      "create",
      "-f",
      "name=asks",
      "-f",
      "model=rehearsal/steps",
      "-F",
      `tools=${JSON.stringify([toolset])}`,
    ],
  );
  const environment = await service.json("environments", "create", "-f", "name=asks");
  const call = (command: string) => ({ tool: "Bash", input: { command } });
  const text = JSON.stringify({ steps: [call("echo allowed"), call("echo denied"), { say: "over" }] });
  const message = { type: "user.message", content: [{ type: "text", text }] };
  const session = await service.json(
    ...["sessions", "create", "-f", `agent=${agent.id}`, "-f", `environment_id=${environment.id}`],
    ...["-F", `initial_events=${JSON.stringify([message])}`],
  );
  await pause(session.id, 1);
  assert.match(await service.done("sessions", "allow", session.id), /^evt_\S+\n$/);
  await pause(session.id, 2);
  await service.done("sessions", "deny", session.id, "--message", "Not now.");
  await pause(session.id, 3);
  const logs = await service.done("sessions", "logs", session.id);
  assert.match(logs, /allowed\n/);
  assert.match(logs, /Not now\./);
  const once = JSON.stringify({ steps: [call("echo again"), { say: "over" }] });
  const asked = await service.run(["sessions", "send", "-f", session.id, once]);
  assert.equal(asked.code, 3, asked.stderr);
  assert.match(asked.stdout, /^Bash {2}echo again\n\nwaiting for you/);
  assert.match(asked.stderr, /berth sessions allow sess_/);
  assert.match(
    await service.done("sessions", "allow", "-f", session.id),
    /^Bash {2}echo again\n {2}│ again\n[\s\S]*over\n\ndone/,
  );
  const { code, stderr } = await service.run(["sessions", "allow", session.id]);
  assert.deepEqual(
    [code, stderr],
    [1, "error: No tool call of this session is waiting for a confirmation.\n"],
  );
});

test("sessions allow --always: later commands that begin with the words run without asking, until the rule is deleted", {
  timeout: 600_000,
}, async () => {
  const toolset = {
    type: "agent_toolset_20260401",
    configs: ["Bash", "Glob"].map((name) => ({ name, permission_policy: { type: "always_ask" } })),
  };
  const agent = await service.json(
    ...["agents", "create", "-f", "name=always", "-f", "model=rehearsal/steps"],
    ...["-F", `tools=${JSON.stringify([toolset])}`],
  );
  const environment = await service.json("environments", "create", "-f", "name=always");
  const { id } = await service.json(
    ...["sessions", "create", "-f", `agent=${agent.id}`, "-f", `environment_id=${environment.id}`],
  );
  const send = async (...tools: object[]) =>
    await service.run([
      "sessions",
      "send",
      "-f",
      id,
      JSON.stringify({ steps: [{ tools }, { say: "over" }] }),
    ]);
  const bash = (command: string) => ({ tool: "Bash", input: { command } });
  const glob = { tool: "Glob", input: { pattern: "*.none" } };

  assert.equal((await send(bash("echo one 1"), glob)).code, 3);
  const first = await service.run(["sessions", "allow", "-f", id, "--always", "echo one"]);
  assert.equal(first.code, 3, "the call of Glob is not what the words allow");
  assert.match(first.stdout, /^always allowed in this session by \S+: Bash: echo one …\n/);
  const none = await service.run(["sessions", "allow", id, "--always", "echo one"]);
  assert.deepEqual(
    [none.code, none.stderr],
    [1, "error: No call of Bash is waiting for a confirmation, and --always names its commands.\n"],
  );
  await service.done("sessions", "allow", "-f", id, "--always");

  const free = await send(bash("echo one 2"), glob);
  assert.equal(free.code, 0, free.stderr);
  assert.match(free.stdout, /allowed by the rule echo one … of \S+[\s\S]*allowed by a rule of \S+/);
  assert.equal((await send(bash("echo one 3; echo two"))).code, 3);
  await service.done("sessions", "deny", "-f", id, "--message", "Not two.");

  const { data } = await service.json("sessions", "confirmation-rules", "list", id);
  assert.deepEqual(
    data.map((rule: { tool_name: string; command_prefix: string | null }) => [
      rule.tool_name,
      rule.command_prefix,
    ]),
    [
      ["Glob", null],
      ["Bash", "echo one"],
    ],
  );
  await service.done("sessions", "confirmation-rules", "delete", id, data[1].id);
  assert.equal((await send(bash("echo one 4"))).code, 3);
  const logs = await service.done("sessions", "logs", id);
  assert.match(logs, /denied by \S+: Not two\./);
  assert.match(logs, /no longer always allowed by \S+: Bash: echo one …/);
});

/** Waits until the session has paused this many times. */
async function pause(id: string, number: number): Promise<void> {
  const { child, lines } = service.follow("sessions", "logs", "-f", id, "--json");
  let pauses = 0;
  for await (const line of lines) {
    if (JSON.parse(line).type === "session.status_idle") pauses += 1;
    if (pauses === number) break;
  }
  child.kill("SIGINT");
}

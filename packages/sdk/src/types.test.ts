// The subject is the types of the client's methods.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, respond, startWire } from "../test-support/wire.ts";

// This is a test for the compiler. The calls also run, so that the types match what is sent.
test("bodies, queries and responses are typed by the contract", async (t) => {
  const wire = await startWire(t, (_, response) => respond(response, 200, { status: "idle", data: [] }));
  const { client } = clientOf(wire.url);
  const session = await client.sessions.create({
    agent: "agent_1",
    environment_id: "env_1",
    resources: [
      {
        type: "hosted_repository",
        url: "https://git.example.com/o/r",
        checkout: { type: "branch", name: "b" },
      },
    ],
  });
  const status: "idle" | "running" | "rescheduling" | "terminated" = session.status;
  assert.equal(status, "idle");
  // @ts-expect-error: the environment is required
  await client.sessions.create({ agent: "agent_1" });
  // @ts-expect-error: what this version does not serve is not offered
  await client.environments.create({ name: "e", config: { type: "self_hosted" } });
  // @ts-expect-error: a status that does not exist
  await client.sessions.list({ statuses: ["asleep"] });
  // @ts-expect-error: events have no such type
  await client.sessions.events.send("sess_1", { events: [{ type: "agent.message", content: [] }] });
  assert.equal(wire.received.length, 5);
});

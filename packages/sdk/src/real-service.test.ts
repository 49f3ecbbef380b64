// The subject is the client against a real service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../test-support/collect.ts";
import { startRealService } from "../test-support/real-service.ts";
import { Berth } from "./client.ts";
import type { StreamFrame } from "./streaming/event-stream.ts";

const toolset = { type: "agent_toolset_20260401" } as const;

test("real service: files, lists, errors, and a stream that survives a crash", {
  timeout: 600_000,
}, async (t) => {
  const service = await startRealService(t);
  const lost: unknown[] = [];
  const logger = { debug: () => undefined, warn: (message: string) => void lost.push(message) };
  const client = new Berth({ baseURL: service.url, token: service.token, logger });

  const agent = await client.agents.create({ name: "Helper", model: "rehearsal/steps", tools: [toolset] });
  const environment = await client.environments.create({ name: "default" });
  await assert.rejects(client.environments.create({ name: "default" }), {
    type: "conflict_error",
    status: 409,
  });
  assert.equal((await client.agents.get(agent.id)).id, agent.id);

  await t.test("a file is uploaded and downloaded unchanged", async () => {
    const bytes = new Uint8Array(300_000).map((_, i) => i % 251);
    const file = await client.files.upload(
      { name: "ä b.bin", content: bytes },
      { metadata: { kind: "test" } },
    );
    assert.deepEqual([file.filename, file.size_bytes, file.metadata], ["ä b.bin", 300_000, { kind: "test" }]);
    assert.deepEqual(await (await client.files.content(file.id)).bytes(), bytes);
    assert.deepEqual((await client.files.list({ ids: [file.id] })).data, [file]);
  });

  await t.test("a list yields everything, newest first", async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await client.tokens.create({ name: `t${i}` })).id);
    const listed = (await collect(client.tokens.list({ limit: 2 }))).map(({ id }) => id);
    assert.deepEqual(listed.slice(0, 5), made);
    assert.equal(new Set(listed).size, listed.length);
    assert.equal((await client.tokens.delete(made[0] ?? "")).type, "token_deleted");
  });

  await t.test("an error has type, param and request id", async () => {
    const { requestId } = await client.agents.list({ limit: 1 }).withResponse();
    assert.ok(requestId);
    await assert.rejects(client.agents.list({ limit: 101 }), {
      type: "invalid_request_error",
      param: "limit",
    });
    await assert.rejects(client.sessions.get("sess_00000000000000000000000000"), { type: "not_found_error" });
    const stranger = new Berth({ baseURL: service.url, token: "berth_pat_wrong" });
    await assert.rejects(stranger.agents.list().withResponse(), { name: "AuthenticationError", status: 401 });
  });

  await t.test("a stream continues after a crash of the service, without gaps and duplicates", async () => {
    const session = await client.sessions.create({ agent: agent.id, environment_id: environment.id });
    const say = (text: string) =>
      client.sessions.events.send(session.id, {
        events: [
          {
            type: "user.message",
            content: [{ type: "text", text: JSON.stringify({ steps: [{ say: text }] }) }],
          },
        ],
      });
    const streamed: string[] = [];
    const said: string[] = [];
    await say("one");
    for await (const event of client.sessions.events.stream(session.id, { from: "start" })) {
      streamed.push(event.id);
      if (event.type === "agent.message") said.push(event.content.map((block) => block.text).join(""));
      if (event.type !== "session.status_idle") continue;
      if (said.length === 2) break;
      await service.crash();
      await say("two");
    }
    assert.deepEqual(said, ["one", "two"]);
    assert.ok(lost.includes("stream lost"));
    const stored = await collect(client.sessions.events.list(session.id, { limit: 3 }));
    assert.deepEqual(
      streamed,
      stored.map(({ id }) => id),
    );

    const previews: string[] = [];
    const deltas = client.sessions.events.untilIdle(session.id, {
      after_id: streamed.at(-1),
      event_deltas: ["agent.message"],
    });
    const first = deltas.next();
    await client.sessions.events.send(session.id, {
      events: [
        {
          type: "user.message",
          content: [
            { type: "text", text: JSON.stringify({ steps: [{ say: "three" }, { wait_ms: 4_000 }] }) },
          ],
        },
      ],
    });
    const read = (frame: StreamFrame | undefined) => {
      if (frame?.type === "event_delta") previews.push(frame.delta.content.text);
      if (frame?.type === "agent.message") previews.push(frame.id);
      if (frame?.type === "event_start") previews.push(frame.event.id);
    };
    read((await first).value ?? undefined);
    for await (const frame of deltas) {
      read(frame);
      if ("id" in frame) streamed.push(frame.id);
    }
    assert.deepEqual(previews.slice(1), ["three", previews[0]]);

    const follow = collect(client.sessions.events.stream(session.id, { after_id: streamed.at(-1) }));
    await client.sessions.terminate(session.id);
    assert.equal((await follow).at(-1)?.type, "session.status_terminated");
  });

  await t.test(
    "an answer to one of two calls, while a third runs, is followed to the turn's pause",
    async () => {
      const ask = { permission_policy: { type: "always_ask" } } as const;
      const configs = [
        { name: "Glob", ...ask },
        { name: "Grep", ...ask },
      ] as const;
      const asking = await client.agents.create({
        name: "Asking",
        model: "rehearsal/steps",
        tools: [{ ...toolset, configs: [...configs] }],
      });
      const session = await client.sessions.create({ agent: asking.id, environment_id: environment.id });
      const calls = [
        { tool: "Bash", input: { command: "sleep 1" } },
        { tool: "Glob", input: { pattern: "*.none" } },
        { tool: "Grep", input: { pattern: "none" } },
      ];
      const text = JSON.stringify({ steps: [{ tools: calls }] });
      const { events } = client.sessions;
      await events.send(session.id, {
        events: [{ type: "user.message", content: [{ type: "text", text }] }],
      });
      const asked: string[] = [];
      for await (const event of events.stream(session.id, { from: "start" })) {
        if (event.type === "agent.tool_use" && event.evaluated_permission === "ask") asked.push(event.id);
        if (asked.length === 2) break;
      }
      const [tool_use_id = "", other = ""] = asked;
      const confirmation = { type: "user.tool_confirmation" as const, tool_use_id, result: "allow" as const };
      const { data } = await events.send(session.id, { events: [confirmation] });
      const followed = await collect(events.untilAnswered(session.id, data[0]?.id ?? ""));
      const end = followed.at(-1);
      assert.deepEqual(end?.type === "session.status_idle" && end.stop_reason, {
        type: "requires_action",
        event_ids: [other],
      });
    },
  );
});

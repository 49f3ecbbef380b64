import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { killRunners } from "../../crash/processes.ts";
import type { AnyJson, Json } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../harness/fixtures.ts";
import { startModelServer } from "../harness/model-server.ts";

const directory = await mkdtemp(join(tmpdir(), "berth-models-"));
const models = await startModelServer();
const file = join(directory, "models.json");
const local = { kind: "openai-compatible", base_url: models.baseUrl };
const listed = [{ id: "local/seeing", context_window: 200_000, images: true }];
await writeFile(file, JSON.stringify({ providers: { local }, models: listed }));
const { berth, api } = await startBerth({ settings: { BERTH_MODELS_FILE: file } });
after(async () => {
  await models.close();
  await rm(directory, { recursive: true });
});

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };

async function makeSession(fields: Record<string, Json> = {}): Promise<AnyJson> {
  const { id } = await makeAgent(api, { model: "local/seeing", ...fields });
  const { id: environment_id } = await makeEnvironment(api);
  return api.ok("POST", "/sessions", { agent: id, environment_id });
}

/** Runs a turn. Returns its events, and the request bodies that the model received. */
async function turn(session: AnyJson, text: string, ...blocks: Json[]) {
  const before = models.bodies.length;
  const content = [{ type: "text", text }, ...blocks];
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [{ type: "user.message", content }],
  });
  const events = await waitForTurn(api, session.id, data[0].id);
  return { events, end: events.at(-1).stop_reason.type, bodies: models.bodies.slice(before) };
}

const omissions = (events: AnyJson[]) => events.filter(({ type }) => type === "agent.content_omitted");

covers(
  ["content-omitted"],
  "an image that the model's provider rejects: left out once, told, and out of every later request",
  async () => {
    const session = await makeSession();
    models.reject = (body) =>
      body.includes(PNG) ? { status: 400, message: "Could not process image" } : null;
    const first = await turn(session, "Look at this.", IMAGE);
    assert.deepEqual([first.end, first.bodies.length], ["end_turn", 2]);
    const [omission] = omissions(first.events);
    assert.deepEqual(omission.omitted, [{ type: "image", count: 1 }]);
    assert.match(omission.reason, /Could not process image/);
    killRunners(berth);
    const next = await turn(session, "And now?");
    assert.deepEqual([next.end, next.bodies.length, omissions(next.events)], ["end_turn", 1, []]);
    const [sent, again] = [first.bodies[1], next.bodies[0]].map((body) => JSON.parse(body ?? "").messages);
    assert.deepEqual(again.slice(0, sent.length), sent, "another process sends what was accepted");
    const log = (await api.ok("GET", `/sessions/${session.id}/events?types[]=user.message`)).data;
    assert.deepEqual(log[0].content[1], IMAGE, "the log keeps it");
  },
);

covers(
  ["content-omitted"],
  "a tool that the model's provider rejects: named in the event, and the next message is answered",
  async () => {
    const tool = (name: string) => ({
      type: "custom",
      name,
      description: `Does ${name}.`,
      input_schema: { type: "object", properties: {} },
    });
    const session = await makeSession({ tools: [tool("good_one"), tool("bad_one")] });
    models.reject = (body) =>
      body.includes("Does bad_one")
        ? { status: 400, message: "Invalid schema for function 'bad_one'" }
        : null;
    const { events, end, bodies } = await turn(session, "Hello.");
    assert.deepEqual([end, bodies.length], ["end_turn", 2]);
    assert.deepEqual(omissions(events)[0].omitted, [{ type: "tool", count: 1, names: ["bad_one"] }]);
    assert.match(bodies[1] ?? "", /Does good_one/);
  },
);

/**
 * Returns what providers reject in a schema: combinations at its top, and property names. Returns null if
 * nothing is.
 */
function schemaProblem(schema: AnyJson): string | null {
  if (["anyOf", "oneOf", "allOf"].some((keyword) => keyword in schema))
    return "schema does not support oneOf, allOf, or anyOf at the top level";
  const names = propertyNames(schema);
  const odd = names.find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  return odd === undefined ? null : `Property keys should match pattern: '${odd}'`;
}

function propertyNames(schema: AnyJson): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = typeof schema.properties === "object" ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap(propertyNames)];
}

covers(
  ["custom-schema", "custom-tool"],
  "custom tools whose schemas the model's provider rejects: kept in another form, and the client gets its own names",
  async () => {
    const row = { type: "object", properties: { "größe in cm": { type: "number" } } };
    const tool = (name: string, schema: AnyJson) => ({
      type: "custom",
      name,
      description: `Does ${name}.`,
      input_schema: { type: "object", ...schema },
    });
    const tools = [
      tool("query", {
        properties: { $filter: { type: "string" }, rows: { type: "array", items: row } },
        required: ["$filter"],
      }),
      tool("either", {
        properties: { path: { type: "string" }, url: { type: "string" } },
        anyOf: [{ required: ["path"] }, { required: ["url"] }],
      }),
      tool("referring", { properties: { "@id": row, same: { $ref: "#/properties/@id" } } }),
    ];
    const session = await makeSession({ tools });
    assert.deepEqual(session.agent.tools, tools, "the API returns them as they were given");
    models.reject = (body) => {
      const schemas: AnyJson[] = (JSON.parse(body).tools ?? []).map(
        ({ function: { parameters } }: AnyJson) => parameters,
      );
      const problem = schemas.map(schemaProblem).find((found) => found !== null);
      return problem === undefined ? null : { status: 400, message: `Invalid schema: ${problem}` };
    };
    const given = {
      query: [
        { _filter: "a > 1", rows: [{ gr__e_in_cm: 3 }] },
        { $filter: "a > 1", rows: [{ "größe in cm": 3 }] },
      ],
      either: [{ url: "x" }, { url: "x" }],
      referring: [
        { _id: { gr__e_in_cm: 1 }, same: { gr__e_in_cm: 2 } },
        { "@id": { "größe in cm": 1 }, same: { "größe in cm": 2 } },
      ],
    };
    for (const [name, [ofModel, ofClient]] of Object.entries(given)) {
      models.calls = [{ name, input: ofModel }];
      const { events, end, bodies } = await turn(session, `Call ${name}.`);
      assert.deepEqual([end, bodies.length, omissions(events)], ["requires_action", 1, []]);
      const [use] = events.filter(({ type }) => type === "agent.custom_tool_use");
      assert.deepEqual([use.name, use.input], [name, ofClient]);
      if (name === "query") killRunners(berth);
      const result = { type: "user.custom_tool_result", custom_tool_use_id: use.id, content: [] };
      const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events: [result] });
      await waitForTurn(api, session.id, data[0].id);
      const messages: AnyJson[] = JSON.parse(models.bodies.at(-1) ?? "").messages;
      const call = messages.findLast(({ tool_calls }) => tool_calls !== undefined);
      assert.deepEqual(
        JSON.parse(call.tool_calls[0].function.arguments),
        ofModel,
        "the model sees what it said",
      );
    }
  },
);

covers(
  ["context-window-learned"],
  "a window smaller than it is set up with: learned from the answer, told once, and kept by other processes",
  async () => {
    const LIMIT = 8_000;
    const session = await makeSession();
    models.reject = (body) => {
      const tokens = Math.ceil(body.length / 4);
      if (tokens <= LIMIT) return null;
      const message = `request (${tokens} tokens) exceeds the available context size (${LIMIT} tokens)`;
      return { status: 400, message };
    };
    const told: AnyJson[] = [];
    let rejected = 0;
    for (let index = 0; index < 8; index++) {
      const { events, end, bodies } = await turn(
        session,
        `Message ${index}. ${"words of a log ".repeat(500)}`,
      );
      assert.equal(end, "end_turn");
      assert.ok(bodies.length <= 4);
      told.push(...events.filter(({ context_window }) => context_window !== undefined));
      rejected += bodies.filter((body) => models.reject(body) !== null).length;
      if (index === 4) killRunners(berth);
    }
    assert.deepEqual([told.map(({ context_window }) => context_window), rejected], [[LIMIT], 1]);
  },
);

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { AnyJson } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../harness/otlp-receiver.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

async function traced(t: TestContext, receiver: OtlpReceiver, settings: Record<string, string> = {}) {
  t.after(() => receiver.close());
  const berth = await Berth.start({
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=of-the-collector",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      ...settings,
    },
  });
  t.after(() => berth.stop());
  return berth;
}

/** Sends a message like a traced client, and waits for the end of its turn. */
async function turnOf(berth: Berth, ...list: unknown[]): Promise<{ session: AnyJson; log: AnyJson[] }> {
  const api = await berth.client();
  const session = await makeSession(api, { environment_variables: { CANARY: "canary" } });
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  const events = [steps(...list)];
  const sent = await api.call("POST", `/sessions/${session.id}/events`, { events }, { headers });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const log = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  return { session, log };
}

covers(["traces"], "traces: from a client's request to the turn, the model and the tool", async (t) => {
  const receiver = await startOtlpReceiver();
  const berth = await traced(t, receiver);
  const { session } = await turnOf(berth, bash("echo canary"), bash("exit 3"), { say: "canary" });
  await berth.kill("SIGTERM");
  const own = receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => own.filter((span) => span.name === name);
  const one = (name: string): ReceivedSpan => {
    const [span, ...more] = named(name);
    assert.ok(span !== undefined && more.length === 0, `${name}: ${own.map((each) => each.name)}`);
    return span;
  };
  const request = one("events.send");
  assert.deepEqual([request.parentSpanId, request.kind, request.resource["berth.part"]], [CALLER, 2, "api"]);
  const { "berth.request_id": id, "berth.user.id": user, ...attributes } = request.attributes;
  assert.match(`${id} ${user}`, /^\S+ usr_\w{26}$/);
  assert.equal(attributes["http.response.status_code"], 200);
  assert.match(`${attributes["http.route"]}`, /\/sessions\/:session_id\/events$/);
  assert.equal(attributes["berth.session.id"], session.id);
  const turn = one("invoke_agent");
  assert.deepEqual([turn.parentSpanId, turn.resource["berth.part"]], [request.spanId, "runner"]);
  assert.equal(turn.attributes["gen_ai.conversation.id"], session.id);
  assert.equal(turn.attributes["berth.outcome"], "end_turn");
  assert.ok(Number(turn.attributes["gen_ai.usage.input_tokens"]) > 0);
  const models = named("chat rehearsal/steps");
  const tools = named("execute_tool Bash");
  assert.deepEqual([models.length, tools.length, named("open_sandbox").length], [3, 2, 1]);
  for (const span of [...models, ...tools, one("open_sandbox")]) assert.equal(span.parentSpanId, turn.spanId);
  assert.deepEqual(
    models.map(({ kind, attributes }) => [
      kind,
      attributes["gen_ai.provider.name"],
      attributes["gen_ai.request.model"],
    ]),
    models.map(() => [3, "rehearsal", "steps"]),
  );
  assert.deepEqual(
    tools.map(({ attributes, failed }) => [attributes["gen_ai.tool.name"], failed]),
    [
      ["Bash", false],
      ["Bash", true],
    ],
  );
  assert.equal(turn.resource["service.name"], "berth");
  assert.equal(turn.resource["deployment.environment.name"], "test");
  assert.equal(receiver.headers[0]?.["x-key"], "of-the-collector");
  assert.ok(receiver.spans.every(({ name }) => !/livez|readyz|none/.test(name)));
});

covers(["traces-contents"], "traces: contents only where they are asked for", async (t) => {
  const [without, asked] = [await startOtlpReceiver(), await startOtlpReceiver()];
  for (const [receiver, settings] of [
    [without, {}],
    [asked, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }],
  ] as const) {
    const berth = await traced(t, receiver, settings);
    await turnOf(berth, bash("echo canary of a command"), { say: "canary" });
    await berth.kill("SIGTERM");
    assert.ok(receiver.spans.some(({ name }) => name === "execute_tool Bash"));
  }
  assert.doesNotMatch(without.text(), /canary/);
  assert.match(asked.text(), /gen_ai\.tool\.call\.arguments[\s\S]*canary of a command/);
});

covers(
  ["traces-absent"],
  "traces: a collector that hangs or is not there, and wrong variables",
  async (t) => {
    const receiver = await startOtlpReceiver({ hangs: true });
    const berth = await traced(t, receiver, { OTEL_TRACES_SAMPLER: "sometimes" });
    await turnOf(berth, bash("true"));
    const began = performance.now();
    assert.equal(await berth.kill("SIGTERM"), 0);
    assert.ok(performance.now() - began < 15_000);
    assert.match(berth.log, /Berth ignores the variable OTEL_TRACES_SAMPLER: it must be one of always_on/);
    const absent = await traced(t, await startOtlpReceiver(), {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    });
    await turnOf(absent, bash("true"));
    await waitUntil(
      () => /traces could not be sent/.test(absent.log),
      () => absent.log,
    );
    assert.equal(await absent.kill("SIGTERM"), 0);
    assert.doesNotMatch(absent.log, /of-the-collector/);
    const off = await startOtlpReceiver();
    const silent = await traced(t, off, { OTEL_SDK_DISABLED: "true" });
    const api = await silent.client();
    await runTurn(api, (await makeSession(api)).id, bash("true"));
    await silent.kill("SIGTERM");
    assert.deepEqual(off.headers, []);
  },
);

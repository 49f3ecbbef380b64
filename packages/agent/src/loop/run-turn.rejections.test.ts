// Subject: a provider that permanently rejects something in a session's log. Whatever it is, the session
// answers the next message within four requests, an event says what was left out, and the request after that
// is accepted unchanged.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { NewEvent } from "@berth/contract";
import fc from "fast-check";
import { type MarkedLog, markedLog } from "../../test-support/marked-log.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { kinds, modelAt, startDouble } from "../../test-support/models/providers.ts";
import type { RecordedRequest, Refusal, WireDouble } from "../../test-support/models/wire-double.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { assertValidMessages } from "../../test-support/valid-messages.ts";
import { foldHistory } from "../history/fold-history.ts";
import type { ProviderKind } from "../models/ai-sdk/provider.ts";
import * as notes from "../prompts/notes.ts";
import { runTurn } from "./run-turn.ts";

const TOOL_MARKS = ["toolmark1", "toolmark2"] as const;
const WORDS = ["none", "place", "kind", "name", "another place"] as const;
const SIZE_WORDS = ["limit", "code", "status", "unknown"] as const;

/** The content that a double rejects, and the wording of its error. */
type Cause =
  | { of: "mark"; at: number; words: (typeof WORDS)[number] }
  | { of: "tool"; mark: (typeof TOOL_MARKS)[number]; words: (typeof WORDS)[number] }
  | { of: "size"; words: (typeof SIZE_WORDS)[number]; more: number };

const cause: fc.Arbitrary<Cause> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant("mark" as const),
      at: fc.nat(500),
      words: fc.constantFrom(...WORDS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant("tool" as const),
      mark: fc.constantFrom(...TOOL_MARKS),
      words: fc.constantFrom(...WORDS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      of: fc.constant("size" as const),
      words: fc.constantFrom(...SIZE_WORDS),
      more: fc.nat(4_000),
    }),
  },
);

/** Characters of the smallest request that a session can send, with a margin. */
const MIN_SIZE = 6_000;

type Sent = Pick<RecordedRequest, "body" | "text">;

function refuser(given: Cause, marks: readonly string[]): (sent: Sent) => Refusal | null {
  if (given.of === "size") return (sent) => refuseSize(sent, given.words, MIN_SIZE + given.more);
  const mark = given.of === "tool" ? given.mark : (marks[given.at % marks.length] ?? "");
  return (sent) => (sent.text.includes(mark) ? badRequest(wordsFor(given.words, mark, sent)) : null);
}

function badRequest(message: string): Refusal {
  return { status: 400, error: { type: "invalid_request_error", message } };
}

function refuseSize({ text }: Sent, words: (typeof SIZE_WORDS)[number], limit: number): Refusal | null {
  if (text.length <= limit) return null;
  const [sent, most] = [Math.ceil(text.length / 4), Math.ceil(limit / 4)];
  if (words === "status")
    return { status: 413, error: { type: "request_too_large", message: "Request exceeds the maximum size" } };
  if (words === "code")
    return {
      status: 400,
      error: { type: "invalid_request_error", message: "No.", code: "context_length_exceeded" },
    };
  if (words === "unknown") return badRequest("The prompt does not fit.");
  return badRequest(`prompt is too long: ${sent} tokens > ${most} maximum`);
}

function wordsFor(words: (typeof WORDS)[number], mark: string, { body, text }: Sent): string {
  const tools = (body.tools ?? []) as { name?: string; function?: { name: string } }[];
  if (words === "kind")
    return /mark\d+xA/.test(text) ? "Could not process image" : "Invalid parameter: tools";
  if (words === "name") {
    const tool = tools.find((one) => JSON.stringify(one).includes(mark));
    return `Invalid schema for function '${tool?.name ?? tool?.function?.name ?? "nobody"}': it is not valid.`;
  }
  if (words === "none") return "Bad Request";
  if (words === "another place") return `${"input" in body ? "input[1]" : "messages.0.content.0"}: not valid`;
  return `${placeOf(mark, body)}: not valid`;
}

/** Returns a position in the notation of Anthropic or OpenAI. */
function placeOf(mark: string, body: RecordedRequest["body"]): string {
  const has = (value: unknown) => JSON.stringify(value ?? null).includes(mark);
  const tool = ((body.tools ?? []) as unknown[]).findIndex(has);
  if (tool >= 0) return `tools.${tool}.custom.input_schema`;
  const name = "input" in body ? "input" : "messages";
  const items = (body[name] ?? []) as { content?: unknown }[];
  const item = items.findIndex(has);
  const content = items[item]?.content;
  const inner = Array.isArray(content) ? content.findIndex(has) : -1;
  const isAnthropic = "max_tokens" in body && "system" in body;
  const at = isAnthropic ? `messages.${item}` : `${name}[${item}]`;
  if (inner < 0) return at;
  return isAnthropic ? `${at}.content.${inner}` : `${at}.content[${inner}]`;
}

const agent = {
  ...testAgent,
  tools: [
    {
      type: "custom" as const,
      name: "ask_user",
      description: `Asks the user. ${TOOL_MARKS[1]}`,
      input_schema: { type: "object" as const, properties: { text: { type: "string" } } },
    },
  ],
};
const tools = [
  testTool("Echo"),
  { ...testTool("mcp__notes__find"), description: TOOL_MARKS[0], mcp: { server: "notes", name: "find" } },
];

async function turnOf(double: WireDouble, kind: ProviderKind, log: MemoryLog): Promise<RecordedRequest[]> {
  const before = double.requests.length;
  const stop = await runTurn(testTurn({ log, agent, tools, model: modelAt(double.baseUrl, kind) }));
  assert.deepEqual(stop, { type: "end_turn" });
  return double.requests.slice(before);
}

async function check(
  double: WireDouble,
  kind: ProviderKind,
  { log, marks }: MarkedLog,
  given: Cause,
): Promise<void> {
  double.requests.length = 0;
  double.refuseAlso = refuser(given, marks);
  const before = log.entries.length;
  log.message("A plain question.");
  const requests = await turnOf(double, kind, log);
  assert.ok(requests.length <= 4, `${requests.length} requests: ${said(requests)}`);
  assert.equal(requests.at(-1)?.refusal, null);
  const later = log.events.slice(before);
  assert.deepEqual(later.findLast(({ type }) => type === "agent.message")?.processed_at === null, false);
  const told = later.filter(
    ({ type }) => type === "agent.content_omitted" || type === "agent.context_compacted",
  );
  assert.equal(told.length > 0, requests.length > 1, "an event says what was left out, and only then");
  assertValidMessages(foldHistory(log.entries).messages);

  const accepted = requests.at(-1)?.body;
  log.message("And another one.");
  const next = await turnOf(double, kind, log);
  if (given.of === "size") return assert.ok(next.length <= 4, said(next));
  assert.equal(next.length, 1, `it stays out: ${said(next)}`);
  const name = accepted !== undefined && "input" in accepted ? "input" : "messages";
  const [sent, again] = [accepted?.[name], next[0]?.body[name]].map((list) =>
    unmarked((list ?? []) as unknown[]),
  );
  assert.deepEqual(again?.slice(0, sent?.length), sent, "what was accepted is sent again as it was");
}

function said(requests: readonly RecordedRequest[]): string {
  return requests.map(({ refusal }) => refusal?.error.message ?? "accepted").join("; ");
}

/** Removes the cache markers, which move between requests. */
function unmarked(items: readonly unknown[]): unknown[] {
  return items.map((item) =>
    JSON.parse(JSON.stringify(item, (key, value) => (key === "cache_control" ? undefined : value))),
  );
}

for (const kind of kinds)
  describe(`rejections of ${kind}`, () => {
    it("of any block, tool or size: the next message is answered within four requests, and then at once", async (test) => {
      const double = await startDouble(kind);
      test.after(() => double.close());
      const answers = () =>
        double.enqueue(...Array.from({ length: 8 }, () => ({ blocks: [{ text: "Fine." }] })));
      await fc.assert(
        fc.asyncProperty(markedLog, cause, async (log, given) => {
          answers();
          await check(double, kind, log, given);
        }),
        { numRuns: 60 },
      );
    });
  });

describe("rejections: what is left out", () => {
  const image = (name: string) => ({
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: name.padEnd(12, "A") },
  });
  const bodies = (requests: readonly RecordedRequest[]) => requests.map(({ text }) => text);
  const omitted = (log: MemoryLog) =>
    log.events.flatMap((event) => (event.type === "agent.content_omitted" ? [event.omitted] : []));

  /** Creates a session with a double, which has answered each of the messages. */
  async function session(test: TestContext, ...messages: NewEvent[]) {
    const double = await startDouble("anthropic");
    test.after(() => double.close());
    double.enqueue(...Array.from({ length: 20 }, () => ({ blocks: [{ text: "Fine." }] })));
    const log = new MemoryLog();
    for (const message of messages) {
      log.send(message);
      await turnOf(double, "anthropic", log);
    }
    const ask = (message: NewEvent) => {
      log.send(message);
      return turnOf(double, "anthropic", log);
    };
    return { double, log, ask };
  }
  const says = (text: string, ...media: ReturnType<typeof image>[]): NewEvent => ({
    type: "user.message",
    content: [{ type: "text", text }, ...media],
  });
  const rejects = (mark: string, answer: string) => (sent: Sent) =>
    sent.text.includes(mark) ? badRequest(answer) : null;

  for (const answer of [
    "Could not process image",
    "messages.2.content.1.image.source.base64.data: image dimensions exceed max allowed size: 8000 pixels",
    "messages.2.content.1: Input should be a valid image",
  ])
    it(`an image of the newest message: ${answer}`, async (test) => {
      const { double, log, ask } = await session(test, says("The first.", image("good")));
      double.refuseAlso = rejects("broken", answer);
      const requests = await ask(says("The second.", image("broken")));
      assert.equal(requests.length, 2);
      const [, sent = ""] = bodies(requests);
      assert.ok(sent.includes("goodAAAA"), "the other image stays");
      assert.ok(sent.includes(notes.rejectedMedia("image/png")));
      assert.deepEqual(omitted(log), [[{ type: "image", count: 1 }]]);
      const reasons = log.events.flatMap((event) =>
        event.type === "agent.content_omitted" ? [event.reason] : [],
      );
      assert.ok(reasons[0]?.includes(answer), "the event has the provider's words");
      assert.equal((await ask(says("The third."))).length, 1);
    });

  it("several images, of which the answer names one after the other", async (test) => {
    const { double, ask } = await session(test, says("The first.", image("good")));
    double.refuseAlso = ({ text }) => {
      const found = /broken\d/.exec(text)?.[0];
      if (found === undefined) return null;
      return badRequest(`messages.2.content.${found.at(-1)}: Could not process image`);
    };
    const requests = await ask(says("Look.", image("broken1"), image("broken2"), image("broken3")));
    assert.equal(requests.length, 3);
    assert.ok(bodies(requests).at(-1)?.includes("Look."));
  });

  it("a tool by its name: the others stay, and it comes back with another definition", async (test) => {
    const { double, log, ask } = await session(test, says("The first."));
    double.refuseAlso = rejects(TOOL_MARKS[0], "tools.1.custom.input_schema: JSON schema is invalid");
    const requests = await ask(says("The second."));
    assert.equal(requests.length, 2);
    assert.deepEqual(omitted(log), [[{ type: "tool", count: 1, names: ["mcp__notes__find"] }]]);
    const offered = (request: RecordedRequest | undefined) =>
      ((request?.body.tools ?? []) as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(offered(requests.at(-1)), ["Echo", "ask_user"]);
    log.message("The third.");
    const mended = tools.map((tool) => ({ ...tool, description: "Mended." }));
    await runTurn(testTurn({ log, agent, tools: mended, model: modelAt(double.baseUrl, "anthropic") }));
    assert.deepEqual(offered(double.requests.at(-1)), ["Echo", "mcp__notes__find", "ask_user"]);
  });

  for (const [message, mends] of [
    ["Failed to load image or audio file", true],
    ["messages.2.content.1: internal error", true],
    ["Internal server error", false],
  ] as const)
    it(`a server that answers 500 each time: "${message}"`, async (test) => {
      const { double, log } = await session(test, says("The first.", image("good")));
      double.refuseAlso = ({ text }) =>
        text.includes("broken") ? { status: 500, error: { type: "api_error", message } } : null;
      const before = double.requests.length;
      log.send(says("The second.", image("broken")));
      const stop = await runTurn(
        testTurn({ log, agent, tools, model: modelAt(double.baseUrl, "anthropic") }),
      );
      assert.equal(stop.type, mends ? "end_turn" : "retries_exhausted");
      assert.equal(
        double.requests.length - before,
        mends ? 5 : 4,
        "it is retried as it was, and then without",
      );
      assert.equal(omitted(log).length, mends ? 1 : 0);
    });

  it("nothing, when nothing helps: the first answer ends the turn, and the next message has the whole history", async (test) => {
    const { double, log, ask } = await session(test, says("The first.", image("good")));
    double.refuseAlso = () => badRequest("temperature: not supported by this model");
    log.send(says("The second."));
    const model = modelAt(double.baseUrl, "anthropic");
    const stop = await runTurn(testTurn({ log, agent, tools, model }));
    assert.deepEqual(stop, { type: "retries_exhausted" });
    const last = log.events.at(-1);
    assert.ok(last?.type === "session.error" && last.error.retry_status.type === "terminal");
    assert.match(last.error.message, /temperature/);
    assert.deepEqual(omitted(log), []);
    double.refuseAlso = () => null;
    const [text = ""] = bodies(await ask(says("The third.")));
    assert.ok(text.includes("goodAAAA") && text.includes("The second."));
  });

  it("nothing, for what another request does not mend: a key, an account without credit", async (test) => {
    const { double, log } = await session(test, says("The first.", image("good")));
    for (const refusal of [
      { status: 401, error: { type: "authentication_error", message: "invalid x-api-key" } },
      badRequest("Your credit balance is too low to access the API. Please go to Plans & Billing."),
    ]) {
      double.refuseAlso = () => refusal;
      const before = double.requests.length;
      log.send(says("Again."));
      await runTurn(testTurn({ log, agent, tools, model: modelAt(double.baseUrl, "anthropic") }));
      assert.equal(double.requests.length - before, 1);
    }
  });

  for (const [words, limit] of [
    ["request (@ tokens) exceeds the available context size (# tokens)", 32_768],
    ["prompt is too long: @ tokens > # maximum", 16_000],
    ["context_length_exceeded", 20_000],
    ["The prompt does not fit.", 12_000],
    ["Your request exceeded model token limit: # (requested: @)", 24_000],
    ["The input token count (@) exceeds the maximum number of tokens allowed (#).", 16_000],
    ["This model's maximum prompt length is # but the request contains @ tokens.", 20_000],
  ] as const)
    it(`a window smaller than it is set up with: "${words}"`, async (test) => {
      const { double, log, ask } = await session(test, says("The first task."));
      const tokensOf = ({ text }: Pick<Sent, "text">) => Math.ceil(text.length / 3.6);
      double.inputTokens = tokensOf;
      double.refuseAlso = (sent) => {
        const tokens = tokensOf(sent);
        if (tokens <= limit) return null;
        return badRequest(words.replace("@", String(tokens)).replace("#", String(limit)));
      };
      const long = "a line of a long log\n".repeat(limit / 6);
      const answered: number[] = [];
      for (let index = 0; index < 6; index++) {
        const requests = await ask(says(`Message ${index}. ${long.slice(index)}`));
        assert.ok(requests.length <= 4, said(requests));
        answered.push(requests.filter(({ refusal }) => refusal !== null).length);
      }
      assert.ok(answered.some((refused) => refused > 0));
      const learned = log.events.flatMap((event) =>
        event.type === "agent.context_compacted" || event.type === "agent.content_omitted"
          ? [event.context_window ?? []].flat()
          : [],
      );
      if (words.includes("#")) {
        assert.deepEqual(learned, [limit], "the window is told once");
        assert.equal(foldHistory(log.entries).contextWindow, limit, "and kept");
        assert.deepEqual(answered.slice(-3), [0, 0, 0], "later requests keep to it");
      }
      const { messages, earlierMessages } = foldHistory(log.entries);
      assert.ok(`${JSON.stringify(messages)} ${earlierMessages}`.includes("The first task."));
    });
});

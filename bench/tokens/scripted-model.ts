import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Block, Charge } from "./cache/prompt.ts";
import { answerTo } from "./task/exploring.ts";
import type { Step } from "./task/translate.ts";
import { translate } from "./task/translate.ts";
import type { CountTokens } from "./tokenizer.ts";
import { type Answer, type ModelRequest, sendJson, type Wire } from "./wires/wire.ts";

/** The duration of a response, on the provider's clock. */
const ANSWER_MS = 5_000;
/** The model's text at the end of a turn. */
export const LAST_WORDS = "Done: the checks pass.";
/** A request without tools that has at most this many tokens asks for a title. */
const MAX_SIDE_TOKENS = 2_000;

/** A request and its response. */
export interface Exchange {
  /**
   * `step` is a request of the agent's loop, `explore` one of a question's loop, `side` one for a title or
   * the like.
   */
  kind: "step" | "explore" | "summary" | "side" | "refused";
  turn: number;
  /** The calls of the response; null if it has none, or is no step. */
  step: Step | null;
  charge: Charge;
  input: number;
  output: number;
  /** Tokens of the system prompt and of the tools. */
  system: number;
  tools: number;
  toolCount: number;
  maxTokens: number | null;
  /** The cache breakpoints, such as `system 5m`. */
  markers: string[];
  /** Milliseconds of a monotonic clock. */
  arrivedAt: number;
  answeredAt: number;
}

export interface ModelOptions {
  wire: Wire;
  count: CountTokens;
  /** The limit of input tokens; a longer request is rejected. */
  window: number;
  /** A pattern for the last text of a request with tools that asks for a summary. */
  summary: RegExp;
}

/** A provider on loopback whose model follows a script, whatever the requests contain. */
export class ScriptedModel {
  readonly exchanges: Exchange[] = [];
  /** The repository's path in the agent's tools. */
  root = "";
  readonly #options: ModelOptions;
  readonly #cache: ReturnType<Wire["newCache"]>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #now = 0;
  #turn = 0;
  #steps: Step[] = [];
  /** The steps of the current question that are left, and all of its steps. */
  #asked: Step[] = [];
  #askedAll: readonly Step[] = [];
  #calls = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#cache = options.wire.newCache();
  }

  /** Starts listening, and returns `http://ADDRESS:PORT`. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the next steps, after which the model says that it is done. */
  play(steps: readonly Step[]): void {
    this.#turn += 1;
    this.#steps = [...steps];
  }

  get stepsLeft(): number {
    return this.#steps.length;
  }

  /** Advances the provider's clock. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = performance.now();
    const { wire, count } = this.#options;
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method !== "POST") return sendJson(response, request.method === "HEAD" ? 200 : 404, {});
    const parsed = wire.parse(await json(request), count);
    if (path.endsWith("/count_tokens"))
      return sendJson(response, 200, { input_tokens: total(parsed.blocks) });
    if (!path.endsWith(wire.path)) return sendJson(response, 404, {});
    try {
      this.#answer(parsed, response, arrivedAt);
    } catch (error) {
      wire.refuse(response, error instanceof Error ? error.message : `${error}`);
    }
  }

  #answer(request: ModelRequest, response: ServerResponse, arrivedAt: number): void {
    const { wire, count, window } = this.#options;
    const input = total(request.blocks);
    const exchange = { ...this.#shapeOf(request), input, arrivedAt, answeredAt: Number.NaN };
    if (input > window) {
      this.exchanges.push({ ...exchange, kind: "refused", charge: NOTHING, output: 0, step: null });
      wire.refuse(response, `prompt is too long: ${input} tokens > ${window} maximum`);
      return;
    }
    const kind = this.#kindOf(request, input);
    const step = kind === "step" ? (this.#steps[0] ?? null) : null;
    const answer = this.#answerOf(kind, step, request);
    const charge = this.#cache.charge(request.blocks, this.#now);
    const output =
      count(answer.text) +
      answer.calls.reduce((sum, { name, input }) => sum + count(`${name}${JSON.stringify(input)}`), 0);
    const made: Exchange = { ...exchange, kind, charge, output, step };
    if (kind === "step") this.#steps.shift();
    if (kind === "explore") this.#asked.shift();
    for (const call of step ?? []) if (call.do === "ask") this.#ask(call.steps);
    this.exchanges.push(made);
    this.advance(ANSWER_MS);
    response.once("finish", () => {
      made.answeredAt = performance.now();
    });
    wire.respond(response, answer, { ...charge, output });
  }

  /** Classifies a request. A question's loop has no tools to edit with. */
  #kindOf({ tools, lastText }: ModelRequest, input: number): "step" | "explore" | "summary" | "side" {
    if (tools.length === 0) return input <= MAX_SIDE_TOKENS ? "side" : "summary";
    if (this.#options.summary.test(lastText)) return "summary";
    const isLoop = this.#askedAll.length > 0 && !tools.some(({ name }) => /^(bash|edit)$/i.test(name));
    return isLoop ? "explore" : "step";
  }

  #ask(steps: readonly Step[]): void {
    this.#asked = [...steps];
    this.#askedAll = steps;
  }

  #answerOf(kind: Exchange["kind"], step: Step | null, request: ModelRequest): Answer {
    if (kind === "step") return this.#next(step, request, LAST_WORDS);
    if (kind === "explore") return this.#next(this.#asked[0] ?? null, request, answerTo(this.#askedAll));
    return { text: kind === "summary" ? TEXTS.summary : TEXTS.side, calls: [] };
  }

  /** Returns the next response. @param lastWords the text if there is no step. */
  #next(step: Step | null, { tools }: ModelRequest, lastWords: string): Answer {
    if (step === null) return { text: lastWords, calls: [] };
    const calls = step.map((call) => ({ id: `call_${++this.#calls}`, ...translate(call, tools, this.root) }));
    return { text: "", calls };
  }

  #shapeOf({ blocks, maxTokens }: ModelRequest) {
    const of = (part: Block["part"]) => blocks.filter((block) => block.part === part);
    const markers = blocks.flatMap(({ part, marker }) => (marker === null ? [] : [`${part} ${marker}`]));
    return {
      ...{ turn: this.#turn, system: total(of("system")), tools: total(of("tool")) },
      ...{ toolCount: of("tool").length, maxTokens, markers },
    };
  }
}

const NOTHING: Charge = { read: 0, written5m: 0, written1h: 0, uncached: 0 };

/** The fixed texts. A summary has about 900 tokens, and nothing of the conversation. */
const TEXTS = {
  summary: Array.from(
    { length: 45 },
    (_, line) => `- Point ${line + 1}: what was found there is done, and what follows from it comes next.`,
  ).join("\n"),
  side: "Mending the checks",
};

function total(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

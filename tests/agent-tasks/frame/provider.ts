import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { AnyJson } from "../../acceptance/harness/api.ts";
import { type Call, Pending, Seen } from "./seen.ts";
import type { Reader } from "./task.ts";
import { type MadeCall, transcriptOf } from "./transcript.ts";

/** The number of requests in a session from which it counts as stuck. */
const MAX_REQUESTS = 150;

/** The tokens of a request, as the provider reports them. */
export type Usage = Record<
  "input_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
  number
>;

/** A session's model: the reader of its current turn, and a record of its requests. */
export interface Player {
  reader: Reader;
  actsOnNotes: boolean;
  /** Its calls, oldest first. */
  calls: Call[];
  summaries: number;
  /** Errors that the reader threw, other than `Pending`. */
  faults: string[];
  /** The usage of all its requests. */
  usages: Usage[];
  /** The number of pauses of the user that outlasted the provider's cache. */
  silences: number;
  /** The calls whose results a compaction removed. */
  forgotten: readonly Call[];
}

/** A function that returns the usage which the provider reports for a player's request. */
export type Charge = (body: AnyJson, player: Pick<Player, "usages" | "silences">) => Usage;

/**
 * A provider of Anthropic's Messages API on loopback, whose models are readers. Each model id is the player
 * of one session. A player's summary is empty, so after a compaction only what the service itself keeps
 * remains.
 */
export class Provider {
  readonly #players = new Map<string, Player>();
  readonly #charge: Charge;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(charge: Charge = bySize) {
    this.#charge = charge;
  }

  /** Starts listening, and returns the base URL. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  add(model: string, player: Player): void {
    this.#players.set(model, player);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as AnyJson;
    const player = this.#players.get(body.model);
    if (player === undefined) return void response.writeHead(404).end("{}");
    const usage = this.#charge(body, player);
    const blocks = answer(player, body);
    player.usages.push(usage);
    send(response, blocks, usage);
  }
}

function answer(player: Player, body: AnyJson): AnyJson[] {
  const transcript = transcriptOf(body, player.actsOnNotes);
  if (transcript.isForSummary) {
    player.summaries += 1;
    player.forgotten = [
      ...player.forgotten,
      ...transcript.calls.map(({ name, input }: MadeCall) => ({ name, input })),
    ];
    return [say("Some work was done.")];
  }
  if (player.usages.length >= MAX_REQUESTS) {
    player.faults.push(`made ${MAX_REQUESTS} requests`);
    return [say("I give up.")];
  }
  try {
    return [say(player.reader(new Seen(transcript, player.actsOnNotes, player.forgotten)))];
  } catch (thrown) {
    if (thrown instanceof Pending) return thrown.calls.map((call) => use(player, call));
    player.faults.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : `${thrown}`);
    return [say("I cannot go on.")];
  }
}

function say(text: string): AnyJson {
  return { type: "text", text };
}

function use({ calls }: Player, { name, input }: Call): AnyJson {
  calls.push({ name, input });
  return { type: "tool_use", id: `toolu_${calls.length}`, name, input };
}

/** Counts four characters as a token, and all tokens of the previous request as cached. */
function bySize(body: AnyJson, { usages }: Pick<Player, "usages">): Usage {
  const size = (value: unknown) => Math.ceil(JSON.stringify(value ?? "").length / 4);
  const all = size(body.system) + size(body.tools) + size(body.messages);
  const last = usages.at(-1);
  const before = (last?.cache_read_input_tokens ?? 0) + (last?.cache_creation_input_tokens ?? 0);
  const read = before <= all ? before : size(body.system) + size(body.tools);
  return { input_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: all - read };
}

function send(response: ServerResponse, blocks: readonly AnyJson[], usage: Usage): void {
  const isCall = blocks.some(({ type }) => type === "tool_use");
  const events: AnyJson[] = [
    {
      type: "message_start",
      message: {
        ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
      },
    },
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    {
      type: "message_delta",
      delta: { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

function blockEvents(block: AnyJson, index: number): AnyJson[] {
  const isText = block.type === "text";
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return [
    {
      type: "content_block_start",
      index,
      content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
    },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

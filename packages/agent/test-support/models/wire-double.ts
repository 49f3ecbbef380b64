import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";

/**
 * A double of a provider's HTTP API on loopback. It validates each request as the real API would, and then
 * sends the next reply of its queue in the wire format of its dialect.
 */
export interface WireDouble {
  /** The `base_url` of a provider. */
  baseUrl: string;
  requests: RecordedRequest[];
  /** Rejects some of the valid requests as well. Default: none. */
  refuseAlso: (request: Pick<RecordedRequest, "body" | "text">) => Refusal | null;
  /** Returns the input tokens that a response reports. Default: those of the reply. */
  inputTokens: ((request: Pick<RecordedRequest, "text">) => number) | null;
  /** Adds replies to the queue. A request with an empty queue gets status 500. */
  enqueue(...replies: Reply[]): void;
  /** The bytes of a complete reply on the wire. */
  recording(reply: Answer): Buffer;
  /** Resolves when the next request with a `hang` reply has arrived. */
  nextHang(): Promise<void>;
  /** Resolves when the client of a request with a `hang` reply has closed the connection, or already has. */
  nextHangUp(): Promise<void>;
  close(): Promise<void>;
}

export interface RecordedRequest {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Body;
  /** The raw body. */
  text: string;
  /** The error response, when the request was invalid. */
  refusal: Refusal | null;
}

export type Body = Record<string, unknown>;

export type Reply =
  | Answer
  | {
      status: number;
      headers?: Record<string, string>;
      error: { type: string; message: string; code?: string };
    }
  /** Stops sending: before the status, after the first bytes of a response, or before its last event. */
  | { hang: "before" | Answer; after?: "text" };

export interface Answer {
  blocks: readonly AnswerBlock[];
  /** Default: follows from the blocks. */
  stop?: "end" | "tool" | "length" | "refusal" | "window";
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number; forHour?: number };
  /** Sends the first event, then this error event. */
  failsWith?: { type: string; message: string };
  /** Sends this many bytes, then resets the connection or closes it in order. */
  cut?: { bytes: number; how: "reset" | "close" };
}

export type AnswerBlock =
  | { text: string }
  | { thinking: string }
  | { redacted: string }
  | { tool: string; id: string; input: unknown };

export interface Refusal {
  status: number;
  error: { type: string; message: string; code?: string };
}

/** The differences between wire formats. */
export interface DoubleDialect {
  /** The path of requests, under `/v1`. */
  path: string;
  refuse(body: Body, headers: IncomingMessage["headers"]): Refusal | null;
  /** Returns the server-sent events, each with its blank line. `body` is that of the request. */
  events(answer: Answer, body: Body): string[];
  errorBody(error: Refusal["error"]): unknown;
}

/** Starts a double that speaks the given wire format. */
export async function startWireDouble(dialect: DoubleDialect): Promise<WireDouble> {
  const requests: RecordedRequest[] = [];
  const queue: Reply[] = [];
  let hangs = Promise.withResolvers<void>();
  const hangUp = Promise.withResolvers<void>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request, dialect);
    recorded.refusal ??= double.refuseAlso(recorded);
    requests.push(recorded);
    const refusal = recorded.refusal;
    const reply = refusal ??
      queue.shift() ?? { status: 500, error: { type: "api_error", message: "No reply is queued." } };
    if ("status" in reply) return sendError(response, reply, dialect);
    if ("hang" in reply) {
      response.once("close", () => hangUp.resolve());
      if (reply.hang !== "before") {
        await write(response, beginning(dialect, reply.hang, recorded.body, reply.after));
      }
      hangs.resolve();
      hangs = Promise.withResolvers();
      return;
    }
    const input = double.inputTokens?.(recorded);
    const counted = input === undefined ? reply : { ...reply, usage: { ...reply.usage, input } };
    await sendAnswer(response, bytesOf(dialect, counted, recorded.body), reply.cut);
  }

  const server = createServer((request, response) => void answer(request, response));
  // By default idle connections end after five seconds, and a client that is delayed that long may just reuse
  // one.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const double: WireDouble = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    refuseAlso: () => null,
    inputTokens: null,
    enqueue: (...replies) => void queue.push(...replies),
    recording: (reply) => bytesOf(dialect, reply, {}),
    nextHang: () => hangs.promise,
    nextHangUp: () => hangUp.promise,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return double;
}

async function record(request: IncomingMessage, dialect: DoubleDialect): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = JSON.parse(text) as Body;
  const path = request.url ?? "";
  const wrongPath: Refusal = {
    status: 404,
    error: { type: "not_found_error", message: `No such path: ${path}` },
  };
  const refusal = path === `/v1${dialect.path}` ? dialect.refuse(body, request.headers) : wrongPath;
  return { path, headers: request.headers, body, text, refusal };
}

function bytesOf(dialect: DoubleDialect, answer: Answer, body: Body): Buffer {
  return Buffer.from(dialect.events(answer, body).join(""));
}

function beginning(dialect: DoubleDialect, answer: Answer, body: Body, after: "text" | undefined): Buffer {
  if (after === undefined) return bytesOf(dialect, answer, body).subarray(0, 40);
  return Buffer.from(dialect.events(answer, body).slice(0, -1).join(""));
}

function sendError(
  response: ServerResponse,
  reply: Extract<Reply, { status: number }>,
  dialect: DoubleDialect,
): void {
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  response.end(JSON.stringify(dialect.errorBody(reply.error)));
}

async function sendAnswer(response: ServerResponse, bytes: Buffer, cut: Answer["cut"]): Promise<void> {
  await write(response, bytes.subarray(0, cut?.bytes ?? bytes.length));
  if (cut?.how === "reset") {
    // In the next tick the bytes are on the wire, and the connection can be reset.
    await nextTick();
    response.destroy();
  } else {
    response.end();
  }
}

async function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  if (bytes.length > 0) await new Promise<void>((done) => response.write(bytes, () => done()));
}

import type { ServerResponse } from "node:http";
import type { AnyJson } from "../../../tests/acceptance/harness/api.ts";
import type { Block, Charge } from "../cache/prompt.ts";
import type { Tool, ToolCall } from "../task/translate.ts";
import type { CountTokens } from "../tokenizer.ts";

/** The relevant parts of a request for a response of the model. */
export interface ModelRequest {
  blocks: Block[];
  tools: Tool[];
  /** The text of the last user message, without tool results. */
  lastText: string;
  /** The limit of output tokens; null if the request has none. */
  maxTokens: number | null;
}

export interface Answer {
  text: string;
  calls: readonly ToolCall[];
}

/** The format of a provider's requests and responses. */
export interface Wire {
  /** The end of the path of a request for a response. */
  path: string;
  /** Returns the provider's cache, empty. */
  newCache(): { charge(blocks: readonly Block[], now: number): Charge };
  parse(body: AnyJson, count: CountTokens): ModelRequest;
  /** Sends the response as a stream. */
  respond(response: ServerResponse, answer: Answer, usage: Charge & { output: number }): void;
  refuse(response: ServerResponse, message: string): void;
}

export function sendEvents(response: ServerResponse, events: readonly { type: string }[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

import type { ServerResponse } from "node:http";

/** How a response ended: sent whole, or left by its client, or ended by the service before the client left. */
export type ResponseEnd = "complete" | "client_left" | "stalled" | "token_invalid" | "stopping" | "failed";

const ENDS = new WeakMap<ServerResponse, ResponseEnd>();

/** Says why the service ends a response. The first reason counts. */
export function noteEnd(response: ServerResponse, end: ResponseEnd): void {
  if (!ENDS.has(response)) ENDS.set(response, end);
}

export function endOf(response: ServerResponse): ResponseEnd {
  return ENDS.get(response) ?? (response.writableFinished ? "complete" : "client_left");
}

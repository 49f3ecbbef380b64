import type { ServerResponse } from "node:http";

/** End of a response: sent completely, closed by its client, or closed by the service before that. */
export type ResponseEnd = "complete" | "client_left" | "stalled" | "token_invalid" | "stopping" | "failed";

const ENDS = new WeakMap<ServerResponse, ResponseEnd>();

/** Records why the service ends a response. The first reason counts. */
export function noteEnd(response: ServerResponse, end: ResponseEnd): void {
  if (!ENDS.has(response)) ENDS.set(response, end);
}

export function endOf(response: ServerResponse): ResponseEnd {
  return ENDS.get(response) ?? (response.writableFinished ? "complete" : "client_left");
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExchangeConnection } from "./mitm-connection.ts";
import type { UpstreamAgent } from "./upstream-agent.ts";

/** One request of a client, on its way to the host of its connection. */
export interface Forwarding {
  connection: ExchangeConnection;
  agent: UpstreamAgent;
  request: IncomingMessage;
  response: ServerResponse;
}

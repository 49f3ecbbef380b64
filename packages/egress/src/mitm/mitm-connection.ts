import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { Client } from "../protocols/client.ts";
import type { Destination, ProxiedCredential } from "./proxied-credential.ts";
import type { UpstreamAgent } from "./upstream-agent.ts";

/** A client's connection to a host that has a credential. None of its bytes have been consumed. */
export interface MitmConnection extends Destination {
  client: Client;
  /** Connects to the host. Returns null when the host is denied or cannot be reached; both are reported. */
  dial(): Promise<Socket | null>;
  /** Identity of the sandbox, whose connections share limits on connections, certificates and bodies. */
  owner: object;
  /** The current credentials for the host. */
  credentials(): Promise<readonly ProxiedCredential[]>;
  deny(denied: EgressDenied): void;
  log(line: string): void;
}

/** One request of a client. */
export interface MitmRequest {
  connection: MitmConnection;
  agent: UpstreamAgent;
  request: IncomingMessage;
  response: ServerResponse;
  /** Prefix of the text of error responses. */
  errorPrefix: string;
}

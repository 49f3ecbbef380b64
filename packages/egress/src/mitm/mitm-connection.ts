import type { Socket } from "node:net";
import type { EgressDenied, SandboxCredential } from "../policy/types.ts";
import type { Destination } from "./proxied-credential.ts";

/** A connection to a host that a credential is for. Nothing of it was read yet, or all of that was put back. */
export interface ExchangeConnection extends Destination {
  client: Socket;
  /** Connects to the host; null when it is refused or cannot be reached, which has been recorded. */
  dial(): Promise<Socket | null>;
  /** Whose it is: the connections of one sandbox share what memory is set aside for bodies. */
  owner: object;
  /** Those for this host, as they are now. */
  credentials(): Promise<readonly SandboxCredential[]>;
  deny(denied: EgressDenied): void;
  /** For the operator. */
  log(line: string): void;
}

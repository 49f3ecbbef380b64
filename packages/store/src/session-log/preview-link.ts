import { createHmac } from "node:crypto";
import { derivedKey } from "../secrets/secret-box.ts";

/**
 * A link is a connection from the runner that holds a session to the API process that asked for it. Over it,
 * that process opens connections to ports of the session's sandbox: it is the client of HTTP/2, the runner
 * the server, and each stream is one connection.
 */

/** An address at which an API process waits for links. `name` is a socket of Linux's abstract namespace. */
export type LinkAddress = { name: string } | { host: string; port: number };

/** Options of TLS for both ends. The key that both have is the proof of identity, so there are no certificates. */
export const LINK_TLS = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const;

/** The header with which the runner says why it opened no connection. */
export const LINK_REASON = "berth-reason";

/** Returns the key of a link for TLS, which is never sent. @param secretKey The installation's key. */
export function linkKey(secretKey: Uint8Array, linkId: string): Buffer {
  return createHmac("sha256", derivedKey(secretKey, "preview links")).update(linkId).digest();
}

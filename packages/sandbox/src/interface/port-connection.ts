import type { Duplex } from "node:stream";

/**
 * The result of connecting to a port of a sandbox. What comes from the stream is untrusted.
 *
 * `not_listening`: no program listens there. `full`: the sandbox has too many processes or connections.
 * `gone`: the sandbox has ended. `failed`: anything else, such as a sandbox without perl.
 */
export type PortConnection =
  | { ok: true; stream: Duplex }
  | { ok: false; reason: "not_listening" | "full" | "gone" | "failed" };

import { setTimeout as pause } from "node:timers/promises";
import type { SocketConnection } from "../connection.ts";
import type { Postmaster } from "./postmaster.ts";
import { probeServer, type ServerState } from "./probe-server.ts";

const PROBE_INTERVAL_MS = 10;
const MAX_SILENCE_MS = 30_000;

/**
 * True when the server accepts connections and has Berth's database; false when its process exited first. A server that says
 * that it recovers is waited for without a limit, and may miss to answer in between: one that is stopped begins its recovery anew.
 *
 * @throws one sentence for the operator when it is silent for half a minute, or rejects the password; or the signal's reason.
 */
export async function untilReady(
  connection: SocketConnection,
  { pid, socket, exited }: Pick<Postmaster, "pid" | "socket" | "exited">,
  signal?: AbortSignal,
): Promise<boolean> {
  const ended = exited.then((): ServerState => "ended");
  let heardAt = Date.now();
  for (;;) {
    signal?.throwIfAborted();
    const state = await Promise.race([probeServer(connection), ended]);
    if (state === "ready") return true;
    if (state === "ended") return false;
    if (state === "denied")
      throw new Error(
        `PostgreSQL rejects the password in ${connection.passwordFile}: stop what uses this data directory, delete that file, and start again.`,
      );
    if (state === "busy") heardAt = Date.now();
    else if (Date.now() - heardAt > MAX_SILENCE_MS)
      throw new Error(`PostgreSQL (pid ${pid}) does not respond at ${socket}.`);
    await pause(PROBE_INTERVAL_MS);
  }
}

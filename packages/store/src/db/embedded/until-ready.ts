import { setTimeout as pause } from "node:timers/promises";
import type { SocketConnection } from "../connection.ts";
import type { Postmaster } from "./postmaster.ts";
import { probeServer, type ServerState } from "./probe-server.ts";

const PROBE_INTERVAL_MS = 10;
const MAX_SILENCE_MS = 30_000;

/**
 * Returns true when the server accepts connections and has Berth's database, or false when its process exited
 * first. A server that reports recovery is waited for without limit. It may miss a response in between, since
 * a server that is stopped starts its recovery over.
 * @throws an error of one sentence for the operator when the server is silent for half a minute or rejects
 * the password; or the signal's reason.
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

import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { SocketConnection } from "../connection.ts";
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

/** An embedded server that is started again whenever it goes away unasked. */
export type KeptPostgres = {
  /** Stays the same across restarts. */
  connection: SocketConnection;
  /** The pid of the present server. */
  pid(): number;
  stop(): Promise<void>;
};

const LONGEST_PAUSE_MS = 5_000;

/**
 * Starts (or adopts) the server of a data directory and keeps it up: when its process ends without `stop`, the next one
 * is started at once, and after failures at growing intervals up to five seconds, for as long as it takes.
 */
export async function keepEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<KeptPostgres> {
  const stopping = new AbortController();
  let server = await startEmbeddedPostgres(options);
  const { connection } = server;

  const stopped = once(stopping.signal, "abort");

  async function restartForEver(): Promise<void> {
    for (;;) {
      await Promise.race([server.exited, stopped]);
      if (stopping.signal.aborted) return;
      options.log.warn({ pid: server.pid }, "PostgreSQL ended unasked and is started again");
      const next = await startAgain(options, connection, stopping.signal);
      if (next === undefined) return;
      server = next;
      if (stopping.signal.aborted) return;
    }
  }

  const keeping = restartForEver();
  return {
    connection,
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      await server.stop();
      await keeping;
      await server.stop();
    },
  };
}

async function startAgain(
  options: EmbeddedPostgresOptions,
  connection: SocketConnection,
  stopping: AbortSignal,
): Promise<Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined> {
  for (let wait = 100; !stopping.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      const server = await startEmbeddedPostgres(options);
      if (server.connection.host === connection.host) return server;
      await server.stop();
      throw new Error(`the server's socket moved from ${connection.host} to ${server.connection.host}`);
    } catch (error) {
      options.log.error({ err: error }, "PostgreSQL could not be started again");
      await pause(wait, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return undefined;
}

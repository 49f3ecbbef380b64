import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { SocketConnection } from "../connection.ts";
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

/** An embedded server that is restarted whenever it exits unexpectedly. */
export type SupervisedPostgres = {
  /** Stays the same across restarts. */
  connection: SocketConnection;
  /** Returns the pid of the current server. */
  pid(): number;
  stop(): Promise<void>;
};

const MAX_RETRY_MS = 5_000;

/**
 * Starts or adopts the server of a data directory and keeps it running. When its process exits without
 * `stop`, a new one is started at once. Failed starts are retried without limit, with a growing delay of at
 * most five seconds.
 */
export async function superviseEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<SupervisedPostgres> {
  const stopping = new AbortController();
  let server = await startEmbeddedPostgres(options);
  const { connection } = server;

  const stopped = once(stopping.signal, "abort");

  async function restartForever(): Promise<void> {
    for (;;) {
      await Promise.race([server.exited, stopped]);
      if (stopping.signal.aborted) return;
      options.log.warn({ pid: server.pid }, "PostgreSQL exited unexpectedly; restarting it");
      const next = await startAgain(options, connection, stopping.signal);
      if (next === undefined) return;
      server = next;
      if (stopping.signal.aborted) return;
    }
  }

  const supervising = restartForever();
  return {
    connection,
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      await server.stop();
      await supervising;
      await server.stop();
    },
  };
}

async function startAgain(
  options: EmbeddedPostgresOptions,
  connection: SocketConnection,
  stopping: AbortSignal,
): Promise<Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined> {
  for (let wait = 100; !stopping.aborted; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
    try {
      const server = await startEmbeddedPostgres(options);
      if (server.connection.host === connection.host) return server;
      await server.stop();
      throw new Error(`the server's socket moved from ${connection.host} to ${server.connection.host}`);
    } catch (error) {
      options.log.error({ err: error }, "PostgreSQL could not be restarted");
      await pause(wait, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  return undefined;
}

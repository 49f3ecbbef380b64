import { setTimeout as pause } from "node:timers/promises";
import { CONNECT_TIMEOUT_MS } from "./connection.ts";
import type { Servers } from "./servers.ts";

const RETRY_INTERVAL_MS = 25;

/**
 * Tries to connect for up to 5 s, to each server in turn. No statement was sent yet, so a short outage (a
 * restart, a failover) causes a delay rather than an error. If a busy machine uses up the time earlier, each
 * of several servers is still tried once, and the first one again.
 * @throws the error of `servers.fault`.
 */
export async function connectInTime<T>(servers: Servers, connect: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect();
    } catch (error) {
      const isOver = performance.now() > deadline && (servers.count === 1 || tries > servers.count);
      if (isOver || !servers.isWorthRetrying(error)) throw servers.fault(error);
    }
    if (tries % servers.count === 0) await pause(RETRY_INTERVAL_MS);
  }
}

import type { SessionView } from "../log/view.ts";

/** Denied connections to one host and port. */
export type Denial = { host: string; port: number | null; reason: string; count: number; last: string };

/** Returns the denied destinations, newest first, each once. */
export function denialsIn({ rows }: SessionView): Denial[] {
  const found = new Map<string, Denial>();
  for (const row of rows) {
    if (row.kind !== "denied") continue;
    for (const { host, port, reason, created_at: last } of row.denials) {
      const key = `${host} ${port}`;
      const count = (found.get(key)?.count ?? 0) + 1;
      found.delete(key);
      found.set(key, { host, port, reason, count, last });
    }
  }
  return [...found.values()].reverse();
}

/**
 * Returns the destination as an entry of an environment's allowed hosts; null if no entry can allow it, such
 * as an IP address.
 */
export function allowedHostFor({ host, port, reason }: Denial): string | null {
  if (reason !== "not_allowed" || !/[a-z][^.]*$/i.test(host)) return null;
  return port === null || port === 80 || port === 443 ? host : `${host}:${port}`;
}

/** Whether an environment's allowed hosts include the host. */
export function isAllowed(hosts: readonly string[], host: string): boolean {
  return hosts.some((one) => one === host || (one.startsWith("*.") && host.endsWith(one.slice(1))));
}

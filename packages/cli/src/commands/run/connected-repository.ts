import { APIError, type Berth, type Connection, type HostRepository } from "@berth/sdk";
import { UsageError } from "../../shared/failure.ts";

interface Found {
  connection: Connection;
  repository: HostRepository;
}

/** Returns whether a text is the full name of a repository, such as `acme/widget`, and no URL. */
export function isFullName(text: string): boolean {
  return /^[^\s/:@?#]+(\/[^\s/:@?#]+)+$/.test(text);
}

/**
 * Looks for a repository by its full name at the hosts of the user's connections, or of one of them.
 *
 * @throws UsageError when none or several hosts have it.
 */
export async function findRepository(
  client: Berth,
  name: string,
  connectionId: string | undefined,
): Promise<{ url: string; connection_id: string }> {
  const connections = await connectionsOf(client, connectionId);
  if (connections.length === 0)
    throw new UsageError(
      `'${name}' is not a URL, and there is no connection to find it with. Create one: berth connections create`,
    );
  const asked = await Promise.allSettled(connections.map((connection) => search(client, connection, name)));
  const found = asked.flatMap((one) => (one.status === "fulfilled" && one.value !== null ? [one.value] : []));
  const urls = new Map(found.map((one) => [one.repository.url, one]));
  const [only] = urls.values();
  if (only !== undefined && urls.size === 1)
    return { url: only.repository.url, connection_id: only.connection.id };
  if (only !== undefined)
    throw new UsageError(
      `Several hosts have '${name}': ${[...urls.keys()].join(", ")}. Choose one with --connection, or give its URL.`,
    );
  const failures = asked.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : []));
  throw new UsageError([`No connection has the repository '${name}'.`, ...new Set(failures)].join(" "));
}

async function connectionsOf(client: Berth, id: string | undefined): Promise<Connection[]> {
  if (id !== undefined) return [await client.connections.get(id)];
  const all: Connection[] = [];
  for await (const one of client.connections.list({ limit: 100 })) all.push(one);
  return all;
}

async function search(client: Berth, connection: Connection, name: string): Promise<Found | null> {
  const wanted = name.toLowerCase();
  for await (const repository of client.connections.repositories(connection.id, { query: name, limit: 100 }))
    if (repository.full_name.toLowerCase() === wanted) return { connection, repository };
  return null;
}

function messageOf(reason: unknown): string {
  if (reason instanceof APIError) return reason.message;
  throw reason;
}

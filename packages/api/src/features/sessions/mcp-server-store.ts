import type { Queryable } from "@berth/store/db";

/** A server that has not been asked yet has nothing to be stale, and is asked anyway. */
export async function markServersStale(
  db: Queryable,
  sessionId: string,
  servers: readonly string[],
): Promise<void> {
  await db.query({
    name: "retry_mcp_servers",
    text: "update session_mcp_tools set is_stale = true where session_id = $1 and server_name = any($2)",
    values: [sessionId, servers],
  });
}

import type { Queryable } from "@berth/store/db";

/** Marks the tool lists of MCP servers as stale. A server without a stored list is asked anyway. */
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

import { LeaseLost } from "@berth/agent";
import type { McpToolDefinition } from "@berth/agent/mcp";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";

/** An MCP server as a session has discovered it. */
export interface KnownMcpServer {
  tools: McpToolDefinition[];
  /** The server's instructions for its use; null for none. */
  instructions: string | null;
  /** Whether the server is to be asked for its tools again. */
  isStale: boolean;
}

/** Returns the session's MCP servers that were discovered, by name. */
export async function readMcpServers(db: Queryable, sessionId: string): Promise<Map<string, KnownMcpServer>> {
  const { rows } = await db.query<{
    server_name: string;
    tools: McpToolDefinition[];
    instructions: string | null;
    is_stale: boolean;
  }>({
    name: "session_mcp_tools",
    text: "select server_name, tools, instructions, is_stale from session_mcp_tools where session_id = $1",
    values: [sessionId],
  });
  return new Map(
    rows.map(({ server_name, is_stale, ...known }) => [server_name, { ...known, isStale: is_stale }]),
  );
}

/** Stores a server's tools if none are stored or they are stale. Keeps its instructions. @throws LeaseLost */
export async function storeMcpTools(
  db: Queryable,
  { sessionId, owner, epoch }: Lease,
  server: string,
  { tools, instructions }: Pick<KnownMcpServer, "tools" | "instructions">,
): Promise<void> {
  const { rowCount } = await db.query({
    name: "store_mcp_tools",
    text: `
      insert into session_mcp_tools (session_id, server_name, tools, instructions)
      select id, $4, $5::json, $6 from sessions where id = $1 and lease_owner = $2 and lease_epoch = $3
      on conflict (session_id, server_name) do update set
        tools = case when session_mcp_tools.is_stale then excluded.tools else session_mcp_tools.tools end,
        is_stale = false, times_asked = session_mcp_tools.times_asked + 1`,
    values: [sessionId, owner, epoch, server, JSON.stringify(tools), instructions],
  });
  if (rowCount !== 1) throw new LeaseLost();
}

/** The most times a server is asked again unrequested. Each time costs the session its provider's cache. */
const MAX_TIMES_ASKED = 8;

/**
 * Marks servers so that the next turn asks them for their tools again, each a limited number of times. Does
 * nothing when the lease is lost.
 */
export async function markMcpServersStale(
  db: Queryable,
  { sessionId, owner, epoch }: Lease,
  servers: readonly string[],
): Promise<void> {
  await db.query({
    name: "mark_mcp_servers_stale",
    text: `
      update session_mcp_tools set is_stale = true from sessions
      where sessions.id = $1 and lease_owner = $2 and lease_epoch = $3
        and session_id = $1 and server_name = any($4) and times_asked < $5`,
    values: [sessionId, owner, epoch, servers, MAX_TIMES_ASKED],
  });
}

import { LeaseLost } from "@berth/agent";
import type { McpToolDefinition } from "@berth/agent/mcp";
import type { Queryable } from "../../db/statement.ts";
import type { Lease } from "../lease/lease.ts";

/** The tools of the session's MCP servers that were discovered, by the server's name. */
export async function readMcpTools(
  db: Queryable,
  sessionId: string,
): Promise<Map<string, McpToolDefinition[]>> {
  const { rows } = await db.query<{ server_name: string; tools: McpToolDefinition[] }>({
    name: "session_mcp_tools",
    text: "select server_name, tools from session_mcp_tools where session_id = $1",
    values: [sessionId],
  });
  return new Map(rows.map((row) => [row.server_name, row.tools]));
}

/** Stores what a server offers, for the session's lifetime. @throws LeaseLost */
export async function storeMcpTools(
  db: Queryable,
  { sessionId, owner, epoch }: Lease,
  server: string,
  tools: readonly McpToolDefinition[],
): Promise<void> {
  const { rowCount } = await db.query({
    name: "store_mcp_tools",
    text: `
      insert into session_mcp_tools (session_id, server_name, tools)
      select id, $4, $5::json from sessions where id = $1 and lease_owner = $2 and lease_epoch = $3
      on conflict (session_id, server_name) do update set tools = session_mcp_tools.tools`,
    values: [sessionId, owner, epoch, server, JSON.stringify(tools)],
  });
  if (rowCount !== 1) throw new LeaseLost();
}

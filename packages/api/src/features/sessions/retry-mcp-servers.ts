import type { SessionAgent } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { markServersStale } from "./mcp-server-store.ts";
import type { SessionRow } from "./session-row.ts";

/** Makes the next turn ask MCP servers for their tools again. @throws errors.noSuchMcpServer */
export async function retryMcpServers(
  tx: Queryable,
  session: Pick<SessionRow, "id" | "agent">,
  servers: readonly { name: string }[],
): Promise<void> {
  if (servers.length === 0) return;
  const { mcp_servers } = JSON.parse(session.agent) as SessionAgent;
  for (const [index, { name }] of servers.entries()) {
    const isKnown = mcp_servers.some((server) => server.name === name);
    if (!isKnown) throw errors.noSuchMcpServer(name, `mcp_servers[${index}].name`);
  }
  await markServersStale(
    tx,
    session.id,
    servers.map(({ name }) => name),
  );
}

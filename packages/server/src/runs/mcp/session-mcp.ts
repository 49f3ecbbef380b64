import {
  McpConnection,
  type McpFailure,
  type McpToolDefinition,
  mcpDefinitions,
  mcpFailure,
  mcpTool,
  type Tool,
} from "@berth/agent";
import type { McpServer, McpToolset } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { RunSession } from "../inputs/session-inputs.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import { readMcpTools, storeMcpTools } from "./mcp-tool-store.ts";
import { sessionFetch } from "./session-fetch.ts";

export interface McpParts {
  db: Database;
  credentials: Pick<SessionCredentials, "mcpToken">;
  /** Reaches what the operator lets MCP servers be. */
  mcpFetch: GuardedFetch;
  log: Logger;
}

/** The MCP servers of a session while its lease is held. They are called from here, never from the sandbox. */
export interface SessionMcp {
  /**
   * The tools of the servers, in the order of the agent's toolsets. A server is asked for its tools once in the life of the
   * session, and they are the same from then on; one that cannot be asked is told of in the log and asked again by the
   * next turn. Rejects with the signal's reason when it aborts.
   */
  tools(signal: AbortSignal): Promise<Tool[]>;
  isOpen(): boolean;
  /** Ends every connection; the next call connects anew. */
  close(): Promise<void>;
}

/** Tools of one server, and characters of what a model is told of them. */
const mostTools = 256;
const longestDefinitions = 500_000;

interface Entry {
  toolset: McpToolset;
  server: McpServer;
  connection: McpConnection;
}

export function openSessionMcp(
  parts: McpParts,
  lease: Lease,
  session: RunSession,
  runLog: Pick<RunLog, "append">,
): SessionMcp {
  const report = createEgressReport(runLog, parts.log);
  const entries = toolsetsOf(session).map(({ toolset, server }) => ({
    toolset,
    server,
    connection: new McpConnection({
      url: server.url,
      token: () => parts.credentials.mcpToken(server.url),
      fetch: sessionFetch(parts.mcpFetch, session, server.url, report),
    }),
  }));

  async function discover(entry: Entry, signal: AbortSignal): Promise<McpToolDefinition[]> {
    const offered = await ask(entry, signal);
    if ("reason" in offered) return await tell(entry.server, offered);
    await storeMcpTools(parts.db.write, lease, entry.server.name, offered.tools);
    return offered.tools;
  }

  /** The session goes on without the server's tools, and the agent is told by what is in the log. */
  async function tell({ name }: McpServer, { type, reason }: McpFailure): Promise<[]> {
    const message = `The MCP server '${name}' could not be used: ${reason}.`;
    const error = { type, message, retry_status: { type: "retrying" as const }, mcp_server_name: name };
    await runLog.append([{ event: { type: "session.error", error } }]);
    return [];
  }

  return {
    async tools(signal) {
      if (entries.length === 0) return [];
      const known = await readMcpTools(parts.db.read, session.id);
      const found = await Promise.all(
        entries.map(async (entry) => known.get(entry.server.name) ?? (await discover(entry, signal))),
      );
      return entries.flatMap((entry, index) =>
        (found[index] ?? []).map((definition) => toolOf(entry, definition)),
      );
    },
    isOpen: () => entries.some(({ connection }) => connection.isOpen()),
    async close() {
      await Promise.all(entries.map(({ connection }) => connection.close()));
    },
  };
}

async function ask(
  { server, toolset, connection }: Entry,
  signal: AbortSignal,
): Promise<{ tools: McpToolDefinition[] } | McpFailure> {
  try {
    const offered = mcpDefinitions(server.name, await connection.listTools(signal));
    const tools = offered.filter(({ tool }) => configOf(toolset, tool).enabled);
    return excess(tools) ?? { tools };
  } catch (error) {
    signal.throwIfAborted();
    return mcpFailure(error);
  }
}

function toolOf({ toolset, server, connection }: Entry, definition: McpToolDefinition): Tool {
  const permission = configOf(toolset, definition.tool).permission_policy.type;
  return mcpTool({ server: server.name, definition, permission, connection });
}

function toolsetsOf({ agent }: RunSession): { toolset: McpToolset; server: McpServer }[] {
  return agent.tools.flatMap((toolset) => {
    if (toolset.type !== "mcp_toolset") return [];
    const server = agent.mcp_servers.find(({ name }) => name === toolset.mcp_server_name);
    return server === undefined ? [] : [{ toolset, server }];
  });
}

function configOf({ configs, default_config }: McpToolset, tool: string): McpToolset["default_config"] {
  return configs.find(({ name }) => name === tool) ?? default_config;
}

function excess(tools: readonly McpToolDefinition[]): McpFailure | null {
  const type = "mcp_connection_failed_error";
  if (tools.length > mostTools)
    return { type, reason: `it offers ${tools.length} tools, more than ${mostTools}` };
  if (JSON.stringify(tools).length <= longestDefinitions) return null;
  return { type, reason: `its tools are described in more than ${longestDefinitions} characters` };
}

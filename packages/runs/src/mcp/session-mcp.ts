import { type Tool, toolset } from "@berth/agent";
import type { McpConnection, McpDefinitions, McpFailure, McpToolDefinition } from "@berth/agent/mcp";
import type { McpServer, McpToolset, SessionErrorType } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { createEgressReport } from "../egress/egress-report.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { Mask } from "../lease/mask-draft.ts";
import type { RunLog } from "../lease/run-log.ts";
import { instructionsSection, storableInstructions } from "./mcp-instructions.ts";
import { type KnownMcpServer, markMcpServersStale, readMcpServers, storeMcpTools } from "./mcp-tool-store.ts";
import { sessionFetch } from "./session-fetch.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface McpDeps {
  db: Database;
  credentials: Pick<SessionCredentials, "mcpToken">;
  /** The fetch that reaches the hosts which the operator allows for MCP servers. */
  mcpFetch: GuardedFetch;
  mask: Mask;
  log: Logger;
}

interface Entry {
  toolset: McpToolset;
  server: McpServer;
  connection: McpConnection;
}

/** Loads the client's code when the first agent with an MCP server asks for its tools. */
const loadClient = () => import("@berth/agent/mcp");

type McpClient = Awaited<ReturnType<typeof loadClient>>;

/** The MCP servers of a session while its lease is held. The service, not the sandbox, calls them. */
export class SessionMcp {
  readonly #deps: McpDeps;
  readonly #lease: Lease;
  readonly #session: RunSession;
  readonly #runLog: Pick<RunLog, "append">;
  readonly #toolsets: ReturnType<typeof toolsetsOf>;
  /** One entry for each toolset, created at the first call of `tools`. */
  #entries: readonly Entry[] = [];
  /** The servers as of the last call of `tools`, by name. */
  #known: ReadonlyMap<string, KnownMcpServer> = new Map();

  constructor(deps: McpDeps, lease: Lease, session: RunSession, runLog: Pick<RunLog, "append">) {
    this.#deps = deps;
    this.#lease = lease;
    this.#session = session;
    this.#runLog = runLog;
    this.#toolsets = toolsetsOf(session);
  }

  /**
   * Returns the tools of the servers, in the order of the agent's toolsets. Rejects with the signal's reason
   * when it aborts.
   *
   * A server is asked for its tools once in the session's lifetime, and again when they are stale: it said
   * that they changed, a provider rejected one, or a client requested it. A server that does not respond is
   * reported in the log and asked again by the next turn.
   */
  async tools(signal: AbortSignal): Promise<Tool[]> {
    if (this.#toolsets.length === 0) return [];
    const client = await loadClient();
    if (this.#entries.length === 0) this.#entries = this.#createEntries(client);
    const stored = await readMcpServers(this.#deps.db.read, this.#lease.sessionId);
    const found = await Promise.all(
      this.#entries.map(async (entry): Promise<[string, KnownMcpServer]> => {
        const known = stored.get(entry.server.name);
        const isCurrent = known !== undefined && !known.isStale;
        return [entry.server.name, isCurrent ? known : await this.#discover(client, entry, known, signal)];
      }),
    );
    this.#known = new Map(found);
    return this.#entries.flatMap((entry) =>
      (this.#known.get(entry.server.name)?.tools ?? []).map((tool) => this.#tool(client, entry, tool)),
    );
  }

  /** Returns the servers' instructions for the system prompt, empty for none. Call it after `tools`. */
  instructions(): string {
    return instructionsSection(this.#known);
  }

  /**
   * Records that a provider rejected tools, given by the model's names. The next turn asks their servers
   * again, since they may have been repaired.
   */
  async rejected(tools: ReadonlySet<string>): Promise<void> {
    const servers = [...this.#known].filter(([, known]) => known.tools.some(({ name }) => tools.has(name)));
    if (servers.length > 0) await this.#markStale(servers.map(([name]) => name));
  }

  async #markStale(servers: readonly string[]): Promise<void> {
    await markMcpServersStale(this.#deps.db.write, this.#lease, servers);
  }

  #tool(
    { mcpTool }: McpClient,
    { server, connection, ...entry }: Entry,
    definition: McpToolDefinition,
  ): Tool {
    const permission = configOf(entry.toolset, definition.tool).permission_policy.type;
    const keepsFiles = toolset(this.#session.agent).length > 0;
    const { mask } = this.#deps;
    return mcpTool({ server: server.name, definition, permission, connection, keepsFiles, mask });
  }

  #createEntries({ McpConnection }: McpClient): Entry[] {
    const { credentials, mcpFetch, log, mask } = this.#deps;
    const report = createEgressReport(this.#runLog, log, mask);
    return this.#toolsets.map(({ server, ...rest }) => ({
      ...rest,
      server,
      connection: new McpConnection({
        url: server.url,
        token: () => credentials.mcpToken(server.url),
        onToolsChanged: () =>
          void this.#markStale([server.name]).catch((error: unknown) =>
            log.warn({ err: error }, "a change of an MCP server's tools could not be recorded"),
          ),
        fetch: sessionFetch(mcpFetch, this.#session, server.url, report),
      }),
    }));
  }

  isOpen(): boolean {
    return this.#entries.some(({ connection }) => connection.isOpen());
  }

  /** Closes every connection. The next call connects anew. */
  async close(): Promise<void> {
    await Promise.all(this.#entries.map(({ connection }) => connection.close()));
  }

  /**
   * Asks a server for its tools. @param before the stored state of a stale server, which is used when the
   * server does not respond.
   */
  async #discover(
    client: McpClient,
    entry: Entry,
    before: KnownMcpServer | undefined,
    signal: AbortSignal,
  ): Promise<KnownMcpServer> {
    const { name } = entry.server;
    const offered = await ask(client, entry, this.#deps.mask, signal);
    if (!("tools" in offered)) {
      if (before === undefined) await this.#report(entry.server, offered);
      else
        this.#deps.log.warn(
          { server: name, reason: offered.reason },
          "an MCP server could not be queried again",
        );
      return before ?? { tools: [], instructions: null, isStale: true };
    }
    const { tools } = offered;
    const leftOut = client.leftOutSentence(name, offered);
    if (leftOut !== null)
      await this.#appendError(entry.server, "mcp_tools_left_out_error", leftOut, "terminal");
    const instructions = before === undefined ? offered.instructions : before.instructions;
    await storeMcpTools(this.#deps.db.write, this.#lease, name, { tools, instructions });
    return { tools, instructions, isStale: false };
  }

  /** Reports in the log that the session continues without the server's tools. */
  async #report(server: McpServer, { type, reason }: McpFailure): Promise<void> {
    const message = `The MCP server '${server.name}' could not be used: ${reason}.`;
    await this.#appendError(server, type, message, "retrying");
  }

  async #appendError(
    { name: mcp_server_name }: McpServer,
    type: SessionErrorType,
    message: string,
    retry: "retrying" | "terminal",
  ): Promise<void> {
    const error = { type, message, retry_status: { type: retry }, mcp_server_name };
    await this.#runLog.append([{ event: { type: "session.error", error } }]);
  }
}

async function ask(
  { mcpDefinitions, mcpFailure }: McpClient,
  { server, toolset, connection }: Entry,
  mask: Mask,
  signal: AbortSignal,
): Promise<(McpDefinitions & Pick<KnownMcpServer, "instructions">) | McpFailure> {
  try {
    const list = await connection.listTools(signal);
    const { tools, hidden } = withoutSecrets(list.tools, mask);
    const definitions = mcpDefinitions(server.name, { ...list, tools }, enabledIn(toolset));
    const instructions = storableInstructions(list.instructions, mask);
    return { ...definitions, leftOut: [...definitions.leftOut, ...hidden], instructions };
  } catch (error) {
    signal.throwIfAborted();
    return mcpFailure(error, connection.sentCredential);
  }
}

function toolsetsOf({ agent }: RunSession): { toolset: McpToolset; server: McpServer }[] {
  return agent.tools.flatMap((toolset) => {
    if (toolset.type !== "mcp_toolset") return [];
    const server = agent.mcp_servers.find(({ name }) => name === toolset.mcp_server_name);
    return server === undefined ? [] : [{ toolset, server }];
  });
}

function enabledIn(toolset: McpToolset): (tool: string) => boolean {
  const configs = new Map(toolset.configs.map((config) => [config.name, config]));
  return (tool) => (configs.get(tool) ?? toolset.default_config).enabled;
}

function configOf({ configs, default_config }: McpToolset, tool: string): McpToolset["default_config"] {
  return configs.find(({ name }) => name === tool) ?? default_config;
}

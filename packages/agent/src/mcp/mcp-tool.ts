import { createHash } from "node:crypto";
import { ProtocolError, type Tool as WireTool } from "@modelcontextprotocol/client";
import { z } from "zod";
import { truncateMiddle } from "../prompts/text.ts";
import { failure, type Tool, type ToolResult } from "../tools/tool.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpResult } from "./mcp-result.ts";

/** A tool of an MCP server, as stored when the session discovered it. The model sees the same bytes for the whole session. */
export interface McpToolDefinition {
  /** The model's name for it. */
  name: string;
  /** The server's name for it. */
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Characters of a tool's name, which is stored in the event of each call. The protocol recommends 128. */
const MAX_SERVER_TOOL_NAME = 256;
/** Characters of the error message with which a server rejects a call. */
const MAX_REFUSAL_LENGTH = 10_000;

/**
 * The tools of a server, as they are stored. Leaves out tools that can only be called as tasks, duplicate names and invalid
 * names.
 */
export function mcpDefinitions(server: string, offered: readonly WireTool[]): McpToolDefinition[] {
  const definitions = offered
    .filter((tool) => tool.execution?.taskSupport !== "required" && isName(tool.name))
    .map((tool) => {
      const { $schema: _, ...inputSchema } = tool.inputSchema;
      const description = tool.description ?? tool.title ?? tool.annotations?.title ?? "";
      return { name: mcpToolName(server, tool.name), tool: tool.name, description, inputSchema };
    });
  return definitions.filter(
    ({ name }, index) => definitions.findIndex((other) => other.name === name) === index,
  );
}

function isName(name: string): boolean {
  return name.length <= MAX_SERVER_TOOL_NAME && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name);
}

/** Characters of a tool name that every provider accepts. */
const MAX_TOOL_NAME = 64;

/**
 * The model's name for a tool of an MCP server: `mcp__<server>__<tool>`. If that is too long, ambiguous, or has characters that
 * providers reject, it is shortened and ends with a digest of both names. Deterministic.
 */
function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const clear = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/.test(server) && /^[A-Za-z0-9_-]+$/.test(tool);
  if (clear && plain.length <= MAX_TOOL_NAME) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, 8);
  return `${plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_TOOL_NAME - 1 - digest.length)}_${digest}`;
}

export interface McpToolOptions {
  server: string;
  definition: McpToolDefinition;
  permission: NonNullable<Tool["permission"]>;
  connection: McpConnection;
}

/** Runs in the process of the loop, not in the sandbox. The server validates the input. */
export function mcpTool({ server, definition, permission, connection }: McpToolOptions): Tool {
  const { name, tool, description, inputSchema } = definition;
  return {
    name,
    description,
    input: z.record(z.string(), z.unknown()),
    inputSchema,
    mcp: { server, name: tool },
    permission,
    async run(input, { signal }): Promise<ToolResult> {
      try {
        return mcpResult(await connection.callTool(tool, input as Record<string, unknown>, signal));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return failure(sentence(server, error));
      }
    },
  };
}

function sentence(server: string, error: unknown): string {
  if (error instanceof ProtocolError) {
    return `The MCP server '${server}' refused the call: ${truncateMiddle(error.message, MAX_REFUSAL_LENGTH)}`;
  }
  const { reason } = mcpFailure(error);
  return `The MCP server '${server}' could not be used: ${reason}. If the call had begun, what it did is unknown.`;
}

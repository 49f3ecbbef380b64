import { createHash } from "node:crypto";
import type { Tool as WireTool } from "@modelcontextprotocol/client";
import { ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { truncateMiddle } from "../prompts/text.ts";
import type { Tool, ToolResult } from "../tools/tool.ts";
import { failure } from "../tools/tool.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpResult } from "./mcp-result.ts";

/** A tool of an MCP server as a session keeps it from its discovery on: a model is told the same for as long as it lives. */
export interface McpToolDefinition {
  /** By which the model calls it. */
  name: string;
  /** By which the server knows it. */
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Characters of a tool's name, which state in the event of each call; the protocol asks for half as many. */
const MAX_SERVER_TOOL_NAME = 256;
/** Characters of what a server says of a call that it refuses. */
const MAX_REFUSAL_LENGTH = 10_000;

/**
 * What a server offers, as it is kept. Tools that can only be called as tasks are left out, repeated names, and names that
 * are none.
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

/** Characters of a name that every provider takes. */
const MAX_TOOL_NAME = 64;

/**
 * The name by which a model calls a tool of an MCP server: `mcp__<server>__<tool>`. Where that would be too long, hold
 * characters that providers refuse, or be open to another reading, it is cut down and ends with a digest of both names.
 * Equal names give equal results.
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

/** The tool of the loop. It runs where the loop does; the server checks the input. */
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

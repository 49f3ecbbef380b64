import type { Tool as WireTool } from "@modelcontextprotocol/client";
import { ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cutMiddle } from "../cut-middle.ts";
import type { Tool, ToolResult } from "../tool.ts";
import { failure } from "../tools/define-tool.ts";
import type { McpConnection } from "./connection.ts";
import { mcpFault } from "./fault.ts";
import { mcpResult } from "./result.ts";
import { mcpToolName } from "./tool-name.ts";

/** A tool of an MCP server as a session keeps it from its discovery on: a model is told the same for as long as it lives. */
export interface McpToolDefinition {
  /** By which the model calls it. */
  name: string;
  /** By which the server knows it. */
  tool: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** Characters of a tool's name, which stands in the event of each call; the protocol asks for half as many. */
const longestName = 256;
/** Characters of what a server says of a call that it refuses. */
const longestRefusal = 10_000;

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
  return name.length <= longestName && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name);
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
    return `The MCP server '${server}' refused the call: ${cutMiddle(error.message, longestRefusal)}`;
  }
  const { why } = mcpFault(error);
  return `The MCP server '${server}' could not be used: ${why}. If the call had begun, what it did is unknown.`;
}

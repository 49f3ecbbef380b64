import { ProtocolError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { truncateMiddle } from "../prompts/text.ts";
import { originalInput } from "../tool-schemas/original-input.ts";
import { keepFile } from "../tools/keep-file.ts";
import { failure, type Tool, type ToolResult } from "../tools/tool.ts";
import type { McpConnection } from "./mcp-connection.ts";
import type { McpToolDefinition } from "./mcp-definitions.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpResult, type Overflow, resourceResult } from "./mcp-result.ts";

/** Maximum characters of the error message with which a server rejects a call. */
const MAX_REFUSAL_LENGTH = 10_000;

export interface McpToolOptions {
  server: string;
  definition: McpToolDefinition;
  permission: NonNullable<Tool["permission"]>;
  connection: McpConnection;
  /** Whether content that is too long for a result is stored in files of the sandbox. */
  keepsFiles: boolean;
  /** Masks the session's secrets in stored files and in the server's error messages. */
  mask(text: string): string;
}

/** Creates a tool that the loop's process runs, not the sandbox. The server validates the input. */
export function mcpTool(options: McpToolOptions): Tool {
  const { server, definition, permission, connection, keepsFiles, mask } = options;
  const { name, tool, description, inputSchema, originals = {}, reads } = definition;
  return {
    name,
    description,
    input: reads === "resource" ? z.looseObject({ uri: z.string() }) : z.record(z.string(), z.unknown()),
    inputSchema,
    mcp: { server, name: tool },
    permission,
    async run(input, context): Promise<ToolResult> {
      const { signal } = context;
      try {
        const overflow: Overflow = {
          mask,
          keep: async (bytes, extension) => (keepsFiles ? await keepFile(context, bytes, extension) : null),
        };
        if (reads === "resource") {
          const { uri } = input as { uri: string };
          return await resourceResult(await connection.readResource(uri, signal), overflow);
        }
        const given = originalInput(input as Record<string, unknown>, inputSchema, originals);
        const schema = { ...inputSchema, type: "object" as const };
        return await mcpResult(await connection.callTool(tool, given, signal, schema), overflow);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return failure(sentence(options, error));
      }
    },
  };
}

function sentence({ server, connection, mask }: McpToolOptions, error: unknown): string {
  if (error instanceof ProtocolError) {
    return `The MCP server '${server}' refused the call: ${truncateMiddle(mask(error.message), MAX_REFUSAL_LENGTH)}`;
  }
  const { reason } = mcpFailure(error, connection.sentCredential);
  return `The MCP server '${server}' could not be used: ${reason}. If the call had begun, what it did is unknown.`;
}

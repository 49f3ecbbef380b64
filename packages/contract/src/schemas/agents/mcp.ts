import { z } from "zod";
import { permissionPolicy } from "./permission-policy.ts";

/**
 * The URL of an MCP server, stored unchanged: `https`, or `http` for hosts that the installation allows,
 * without credentials and fragment.
 */
export const mcpServerUrl = z.string().max(2048).refine(isServerUrl, {
  error: "Field '{field}' must be an https URL without credentials and fragment.",
});

const serverName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error:
    "Field '{field}' must be 1 to 64 letters, digits, '.', '_' and '-', and begin with a letter or digit.",
});

/** An MCP server with the streamable HTTP transport. Its token comes from a vault of the session. */
export const mcpServer = z
  .strictObject({ type: z.literal("url"), name: serverName, url: mcpServerUrl })
  .meta({ id: "McpServer" });
export type McpServer = z.output<typeof mcpServer>;

const defaults = {
  enabled: z.boolean().optional(),
  permission_policy: permissionPolicy.optional(),
};
const configsInput = z.array(z.strictObject({ name: z.string().min(1).max(256), ...defaults })).max(256);

/** The tools of one of the agent's MCP servers, in a request. */
export const mcpToolset = z
  .strictObject({
    type: z.literal("mcp_toolset"),
    mcp_server_name: z.string(),
    default_config: z
      .strictObject(defaults)
      .nullish()
      .meta({ description: "Applies to tools that are not in `configs`. Default: enabled, `always_ask`." }),
    configs: configsInput.nullish().meta({ description: "By the tool's name on the server." }),
  })
  .superRefine(({ configs }, context) => {
    const names = (configs ?? []).map(({ name }) => name);
    const twice = names.findIndex((name, index) => names.indexOf(name) < index);
    if (twice < 0) return;
    const message = `Tool '${names[twice]}' already has a config.`;
    context.addIssue({ code: "custom", path: ["configs", twice, "name"], message });
  });
export type McpToolsetInput = z.output<typeof mcpToolset>;

const resolved = { enabled: z.boolean(), permission_policy: permissionPolicy };

/** A toolset with all defaults filled in. */
export const resolvedMcpToolset = z.strictObject({
  type: z.literal("mcp_toolset"),
  mcp_server_name: z.string(),
  default_config: z.strictObject(resolved),
  configs: z.array(z.strictObject({ name: z.string(), ...resolved })),
});
export type McpToolset = z.output<typeof resolvedMcpToolset>;

function isServerUrl(text: string): boolean {
  if (!/^https?:\/\/[\u0021-\u007e]+$/i.test(text) || text.includes("#")) return false;
  try {
    const { username, password, hostname } = new URL(text);
    return username === "" && password === "" && hostname !== "" && !/^[^/]*\/\/[^/]*@/.test(text);
  } catch {
    return false;
  }
}

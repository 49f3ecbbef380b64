import type { McpToolset, McpToolsetInput } from "@berth/contract";
import { isListedHost } from "@berth/egress/guarded-fetch";
import { errors } from "@berth/store/errors";
import type { AgentDefinition } from "./agent-store.ts";

const DEFAULT_CONFIG: McpToolset["default_config"] = {
  enabled: true,
  permission_policy: { type: "always_ask" },
};

/**
 * Returns a toolset with all defaults filled in. By default calls ask for confirmation, because a server may
 * offer different tools tomorrow.
 */
export function resolveMcpToolset(toolset: McpToolsetInput): McpToolset {
  const { mcp_server_name, default_config: given, configs } = toolset;
  const shared = withConfig(DEFAULT_CONFIG, given ?? {});
  return {
    type: "mcp_toolset",
    mcp_server_name,
    default_config: shared,
    configs: (configs ?? []).map((config) => ({ name: config.name, ...withConfig(shared, config) })),
  };
}

function withConfig(
  { enabled, permission_policy }: McpToolset["default_config"],
  given: Partial<NonNullable<McpToolsetInput["default_config"]>>,
): McpToolset["default_config"] {
  return {
    enabled: given.enabled ?? enabled,
    permission_policy: given.permission_policy ?? permission_policy,
  };
}

/**
 * Checks that every toolset has a server and every server a toolset, and that plain HTTP is used only for
 * hosts that the operator lists.
 *
 * @throws errors.invalid for the first violation.
 */
export function checkMcp({ tools, mcp_servers }: AgentDefinition, allowPrivate: readonly string[]): void {
  const named = tools.map((tool) => (tool.type === "mcp_toolset" ? tool.mcp_server_name : null));
  for (const [index, name] of named.entries()) {
    if (name === null || mcp_servers.some((server) => server.name === name)) continue;
    const param = `tools[${index}].mcp_server_name`;
    throw errors.invalid(`There is no server named '${name.slice(0, 100)}' in 'mcp_servers'.`, param);
  }
  for (const [index, { name, url }] of mcp_servers.entries()) {
    if (!named.includes(name)) {
      throw errors.invalid(
        `No 'mcp_toolset' in 'tools' uses the server '${name}'.`,
        `mcp_servers[${index}].name`,
      );
    }
    if (isTls(url) || isListed(allowPrivate, url)) continue;
    throw errors.invalid(
      `Field 'mcp_servers[${index}].url' must be an https URL. This installation does not allow http for its host.`,
      `mcp_servers[${index}].url`,
    );
  }
}

function isTls(url: string): boolean {
  return new URL(url).protocol === "https:";
}

/** Returns false when the URL's host is neither a name nor an address. */
function isListed(allowPrivate: readonly string[], url: string): boolean {
  try {
    return isListedHost(allowPrivate, url);
  } catch {
    return false;
  }
}

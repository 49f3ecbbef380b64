import { type agentRoutes, DEFAULT_TOOL_NAMES, type Input, TOOL_NAMES, type ToolName } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { AgentDefinition } from "./agent-store.ts";
import type { AvailableModels } from "./available-models.ts";

type GivenTool = NonNullable<Input<typeof agentRoutes.create>["body"]["tools"]>[number];
type Toolset = Extract<GivenTool, { type: "agent_toolset_20260401" }>;
type Resolved = Extract<AgentDefinition["tools"][number], { type: "agent_toolset_20260401" }>;
type ToolConfig = NonNullable<Resolved["configs"]>[number];

/** Tools with which Explore searches. */
const SEARCH_TOOLS: readonly ToolName[] = ["Read", "Glob", "Grep"];

/**
 * Resolves a toolset's list of tools. An empty `enabled_tools` means all tools but Explore, which its entry
 * in `configs` enables too. `disallowed_tools` and `configs` remove tools.
 *
 * @param place path of the toolset in the request.
 * @throws errors.invalid when the model of Explore is not available, or Explore has no tool to search with.
 */
export function resolveToolset(
  toolset: Toolset,
  place: string,
  models: Pick<AvailableModels, "get">,
): Resolved {
  const configs = (toolset.configs ?? []).map(
    ({ enabled = true, permission_policy = { type: "always_allow" }, ...config }): ToolConfig => ({
      ...config,
      enabled,
      permission_policy,
    }),
  );
  const enabled = enabledTools(toolset, configs);
  const at = configs.findIndex(({ name }) => name === "Explore");
  const model = configs[at]?.model;
  if (model !== undefined && models.get(model) === null)
    throw errors.modelNotAvailable(model, `${place}.configs[${at}].model`);
  if (enabled.includes("Explore") && !canSearch(enabled, configs))
    throw errors.invalid(
      "Explore searches with Read, Glob and Grep: one of these must be enabled with the policy 'always_allow'.",
      at === -1 ? `${place}.enabled_tools` : `${place}.configs[${at}]`,
    );
  return { type: toolset.type, enabled_tools: enabled, ...(configs.length === 0 ? {} : { configs }) };
}

function enabledTools(toolset: Toolset, configs: readonly ToolConfig[]): ToolName[] {
  const named = toolset.enabled_tools ?? [];
  const on = new Set<ToolName>(named.length === 0 ? DEFAULT_TOOL_NAMES : named);
  if (configs.some(({ name }) => name === "Explore")) on.add("Explore");
  for (const name of toolset.disallowed_tools ?? []) on.delete(name);
  for (const { name, enabled } of configs) if (!enabled) on.delete(name);
  return TOOL_NAMES.filter((name) => on.has(name));
}

function canSearch(enabled: readonly ToolName[], configs: readonly ToolConfig[]): boolean {
  const isAsked = (tool: ToolName) =>
    configs.some(({ name, permission_policy: { type } }) => name === tool && type !== "always_allow");
  return SEARCH_TOOLS.some((name) => enabled.includes(name) && !isAsked(name));
}

import type { PermissionPolicy, SessionAgent } from "@berth/contract";

type AgentToolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

/** The entries of an agent's tools that enable built-in ones. */
export function agentToolsets(agent: Pick<SessionAgent, "tools">): AgentToolset[] {
  return agent.tools.filter((entry) => entry.type === "agent_toolset_20260401");
}

type ToolConfig = NonNullable<AgentToolset["configs"]>[number];

/** What an agent says of one of its built-in tools; undefined if nothing. */
export function toolConfig(agent: Pick<SessionAgent, "tools">, name: string): ToolConfig | undefined {
  const configs = agentToolsets(agent).flatMap(({ configs = [] }) => configs);
  return configs.find((config) => config.name === name);
}

/** The permission policy of the calls of a built-in tool. */
export function toolPolicy(agent: Pick<SessionAgent, "tools">, name: string): PermissionPolicy["type"] {
  return toolConfig(agent, name)?.permission_policy.type ?? "always_allow";
}

import type { PermissionPolicy, SessionAgent } from "@berth/contract";

type AgentToolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

/** Returns the entries of an agent's tools that enable built-in ones. */
export function agentToolsets(agent: Pick<SessionAgent, "tools">): AgentToolset[] {
  return agent.tools.filter((entry) => entry.type === "agent_toolset_20260401");
}

type ToolConfig = NonNullable<AgentToolset["configs"]>[number];

/** Returns an agent's settings for one of its built-in tools; undefined if there are none. */
export function toolConfig(agent: Pick<SessionAgent, "tools">, name: string): ToolConfig | undefined {
  const configs = agentToolsets(agent).flatMap(({ configs = [] }) => configs);
  return configs.find((config) => config.name === name);
}

/** Returns the permission policy for calls of a built-in tool. */
export function toolPolicy(agent: Pick<SessionAgent, "tools">, name: string): PermissionPolicy["type"] {
  return toolConfig(agent, name)?.permission_policy.type ?? "always_allow";
}

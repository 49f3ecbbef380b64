import type { SessionAgent } from "@berth/contract";

type AgentToolset = Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>;

/** The entries of an agent's tools that enable built-in ones. */
export function agentToolsets(agent: Pick<SessionAgent, "tools">): AgentToolset[] {
  return agent.tools.filter((entry) => entry.type === "agent_toolset_20260401");
}

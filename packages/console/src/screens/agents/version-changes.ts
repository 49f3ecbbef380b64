import type { Agent } from "@berth/sdk";

const FIELDS = [
  { field: "name", label: "Name" },
  { field: "description", label: "Description" },
  { field: "model", label: "Model" },
  { field: "system", label: "System prompt" },
  { field: "tools", label: "Tools" },
  { field: "mcp_servers", label: "MCP servers" },
  { field: "skills", label: "Skills" },
  { field: "git_identity", label: "Git identity" },
  { field: "max_model_requests", label: "Requests in a turn" },
  { field: "metadata", label: "Metadata" },
] as const;

/** Returns the names of an agent's settings that differ between two versions. */
export function changesBetween(before: Agent, after: Agent): string[] {
  return FIELDS.filter(({ field }) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map(
    ({ label }) => label,
  );
}

/** Returns a version as two texts to compare by lines: its system prompt, and all other settings. */
export function textsOf(agent: Agent): { settings: string; system: string } {
  const settings = Object.fromEntries(
    FIELDS.filter(({ field }) => field !== "system").map(({ field }) => [field, agent[field]]),
  );
  return { settings: `${JSON.stringify(settings, null, 2)}\n`, system: agent.system };
}

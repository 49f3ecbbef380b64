import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { agoColumn, describedNameColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";

const route = getRouteApi("/agents");

const AGENTS: ListKind<Agent> = {
  title: "Agents",
  noun: "agents",
  icon: "agent",
  operation: operations.agents.list,
  load: (query) => berth.agents.list(query),
  words: ({ name, description, id, model }) => [name, description, id, model.id],
  placeholder: "Name, model or id",
  columns: [
    describedNameColumn("sm:w-1/2"),
    {
      title: "Model",
      className: "max-sm:hidden",
      cellClass: "max-w-56 truncate font-mono text-xs text-muted",
      cell: ({ model }) => model.id,
    },
    {
      title: "Can use",
      className: "max-lg:hidden",
      cellClass: "max-w-64 truncate text-muted",
      cell: abilities,
    },
    {
      title: "Version",
      align: "right",
      className: "max-md:hidden",
      cellClass: "text-muted",
      cell: ({ version }) => version,
    },
    agoColumn("Changed", "pr-4", ({ updated_at }) => updated_at),
  ],
  empty: {
    title: "No agents yet",
    about: "An agent is a model with instructions and tools. Each session runs one.",
    command: "berth agents create -f name=Helper",
  },
};

export function AgentsScreen() {
  const navigate = route.useNavigate();
  return (
    <ListScreen
      kind={AGENTS}
      search={route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      create={{ label: "New agent", to: "/agents/new" }}
    />
  );
}

/** Returns a summary such as `6 tools, 2 MCP servers, 1 skill`. */
function abilities({ tools, mcp_servers, skills }: Agent): string {
  const own = tools.reduce(
    (sum, tool) =>
      sum + (tool.type === "custom" ? 1 : "enabled_tools" in tool ? tool.enabled_tools.length : 0),
    0,
  );
  const parts = [
    own > 0 && `${own} ${own === 1 ? "tool" : "tools"}`,
    mcp_servers.length > 0 && `${mcp_servers.length} MCP ${mcp_servers.length === 1 ? "server" : "servers"}`,
    skills.length > 0 && `${skills.length} ${skills.length === 1 ? "skill" : "skills"}`,
  ];
  return parts.filter(Boolean).join(", ");
}

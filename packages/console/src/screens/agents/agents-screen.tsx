import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi, Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { ListScreen } from "../../shell/list-screen.tsx";
import { NameCell, NameNote } from "../../shell/name-cell.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line } from "../../ui/table.tsx";

const route = getRouteApi("/agents");

export function AgentsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ListScreen
      title="Agents"
      noun="agents"
      operation={operations.agents.list}
      load={(query) => berth.agents.list(query)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      words={({ name, description, id, model }) => [name, description, id, model.id]}
      placeholder="Name, model or id"
      action={
        <Link to="/agents/new" className={buttonClass("primary", "small")}>
          <Icon name="plus" /> New agent
        </Link>
      }
      onOpen={({ id }) => void navigate({ to: "/agents/$agentId", params: { agentId: id } })}
      head={<Head />}
      line={(agent, place) => <AgentLine key={agent.id} agent={agent} {...place} />}
      empty={<NoAgents />}
    />
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4">Name</HeadCell>
      <HeadCell className="max-sm:hidden">Model</HeadCell>
      <HeadCell className="max-lg:hidden">Can use</HeadCell>
      <HeadCell align="right" className="max-md:hidden">
        Version
      </HeadCell>
      <HeadCell align="right" className="pr-4">
        Changed
      </HeadCell>
    </>
  );
}

function AgentLine({ agent, ...place }: { agent: Agent; index: number; marked: boolean }) {
  return (
    <Line {...place}>
      <NameCell id={agent.id} name={agent.name} isArchived={agent.archived_at !== null} className="sm:w-1/2">
        <NameNote text={agent.description} />
      </NameCell>
      <Cell className="max-w-56 truncate font-mono text-xs text-muted max-sm:hidden">{agent.model.id}</Cell>
      <Cell className="max-w-64 truncate text-muted max-lg:hidden">{abilities(agent)}</Cell>
      <Cell align="right" className="text-muted max-md:hidden">
        {agent.version}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={agent.updated_at} />
      </Cell>
    </Line>
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

function NoAgents() {
  return (
    <Empty
      icon="agent"
      title="No agents yet"
      command="berth agents create name=Helper"
      action={
        <Link to="/agents/new" className={buttonClass("primary")}>
          New agent
        </Link>
      }
    >
      An agent is a model with instructions and tools. Sessions are started with one.
    </Empty>
  );
}

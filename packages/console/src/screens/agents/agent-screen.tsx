import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { agentQuery } from "../../api/queries/agents.ts";
import { Scrolled } from "../../shell/api-tab.tsx";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { AgentVersions } from "./agent-versions.tsx";

const route = getRouteApi("/agents/$agentId");

const AGENT: ObjectKind<Agent, "settings" | "versions"> = {
  title: "Agent",
  list: { name: "Agents", to: "/agents" },
  nameOf: ({ name }) => name,
  actions: (agent) => <AgentActions agent={agent} />,
  tabs: (agent) => [
    {
      id: "settings",
      label: "Settings",
      content: () => (
        <Scrolled>
          <AgentSettings agent={agent} />
        </Scrolled>
      ),
    },
    {
      id: "versions",
      label: "Versions",
      count: agent.version,
      content: () => (
        <Scrolled>
          <AgentVersions agent={agent} />
        </Scrolled>
      ),
    },
  ],
  calls: ({ id }) => [
    { operation: operations.agents.get, params: { agent_id: id } },
    { operation: operations.sessions.create, body: { agent: id, environment_id: "$ENVIRONMENT_ID" } },
  ],
};

const ENDING: Ending = {
  noun: "agent",
  queryKey: "agents",
  list: "/agents",
  calls: berth.agents,
  means: {
    archive:
      "It can no longer be changed or start sessions. Its running sessions continue. This cannot be undone.",
    delete:
      "All its versions are deleted for good. An agent that a session uses cannot be deleted: archive it instead.",
  },
};

/** Shows an agent: settings, versions, JSON. */
export function AgentScreen() {
  const { agentId } = route.useParams();
  const { tab = "settings" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectPage
      kind={AGENT}
      query={useQuery(agentQuery(agentId))}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "settings" ? {} : { tab: next }, replace: true })}
    />
  );
}

function AgentActions({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const { id, name, archived_at } = agent;
  const edit = () => void navigate({ to: "/agents/$agentId/edit", params: { agentId: id } });
  const use = () => void navigate({ to: "/new", search: { agent: id } });
  const copy = () => void navigate({ to: "/agents/new", search: { like: id } });
  const like = "New agent like this one";
  return (
    <ObjectActions
      item={agent}
      name={name}
      group="Agent"
      sharing="agents"
      ending={ENDING}
      actions={[
        { id: "use", label: "New session with this agent", icon: "play", run: use },
        {
          id: "edit",
          label: "Edit this agent",
          icon: "agent",
          shortcut: { keys: "e", label: "Edit" },
          run: edit,
        },
        { id: "copy", label: like, menu: like, icon: "copy", always: true, run: copy },
      ]}
    >
      {archived_at === null && (
        <>
          <Link
            to="/agents/$agentId/edit"
            params={{ agentId: id }}
            className={buttonClass("secondary", "small")}
          >
            Edit
          </Link>
          <Link to="/new" search={{ agent: id }} className={buttonClass("primary", "small")}>
            <Icon name="play" />
            <span className="max-sm:sr-only">New session</span>
          </Link>
        </>
      )}
    </ObjectActions>
  );
}

import type { Agent } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { agentQuery } from "../../api/queries/agents.ts";
import { useActions } from "../../shell/actions.ts";
import { AskToEnd } from "../../shell/ask-to-end.tsx";
import { Loaded, Scrolled } from "../../shell/object-page.tsx";
import { ObjectTabs } from "../../shell/object-tabs.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { buttonClass, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuEnd, MenuItem } from "../../ui/menu.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { AgentVersions } from "./agent-versions.tsx";

const route = getRouteApi("/agents/$agentId");

/** Shows an agent: settings, versions, JSON. */
export function AgentScreen() {
  const { agentId } = route.useParams();
  const query = useQuery(agentQuery(agentId));
  return (
    <Loaded query={query} title="Agent">
      {(agent) => <AgentPage agent={agent} />}
    </Loaded>
  );
}

function AgentPage({ agent }: { agent: Agent }) {
  const { tab = "settings" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectTabs
      noun="Agent"
      name={agent.name}
      value={agent}
      list={{ name: "Agents", to: "/agents" }}
      actions={<AgentActions agent={agent} />}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "settings" ? {} : { tab: next }, replace: true })}
      tabs={[
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
      ]}
      calls={[
        { operation: operations.agents.get, params: { agent_id: agent.id } },
        {
          operation: operations.sessions.create,
          body: { agent: agent.id, environment_id: "$ENVIRONMENT_ID" },
        },
      ]}
    />
  );
}

function AgentActions({ agent }: { agent: Agent }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"archive" | "delete" | null>(null);
  const isArchived = agent.archived_at !== null;
  const edit = () => void navigate({ to: "/agents/$agentId/edit", params: { agentId: agent.id } });
  const use = () => void navigate({ to: "/new", search: { agent: agent.id } });
  const copy = () => void navigate({ to: "/agents/new", search: { like: agent.id } });
  const archive = () => setAsked("archive");
  useActions([
    ...(isArchived
      ? []
      : ([
          { id: "use", label: "New session with this agent", group: "Agent", icon: "play", run: use },
          { id: "edit", label: "Edit this agent", group: "Agent", icon: "agent", keys: "e", run: edit },
          { id: "archive", label: "Archive this agent", group: "Agent", icon: "archive", run: archive },
        ] as const)),
    { id: "copy", label: "New agent like this one", group: "Agent", icon: "copy", run: copy },
    {
      id: "delete",
      label: "Delete this agent",
      group: "Agent",
      icon: "trash",
      run: () => setAsked("delete"),
    },
  ]);
  useShortcuts(isArchived ? [] : [{ keys: "e", label: "Edit", group: "Agent", run: edit }]);
  return (
    <>
      {!isArchived && (
        <>
          <Link
            to="/agents/$agentId/edit"
            params={{ agentId: agent.id }}
            className={buttonClass("secondary", "small")}
          >
            Edit
          </Link>
          <Link to="/new" search={{ agent: agent.id }} className={buttonClass("primary", "small")}>
            <Icon name="play" />
            <span className="max-sm:sr-only">New session</span>
          </Link>
        </>
      )}
      <Menu trigger={<IconButton icon="dots" label="More actions" />}>
        <MenuItem icon="copy" onSelect={copy}>
          New agent like this one
        </MenuItem>
        <MenuEnd isArchived={isArchived} onArchive={archive} onDelete={() => setAsked("delete")} />
      </Menu>
      <AskToEnd
        asked={asked}
        onClose={() => setAsked(null)}
        id={agent.id}
        name={agent.name}
        noun="agent"
        queryKey="agents"
        calls={berth.agents}
        means={{
          archive:
            "It can no longer be changed or start sessions, and this cannot be undone. Its sessions go on.",
          delete:
            "All its versions are gone for good. An agent with which a session was created stays: archive it instead.",
        }}
        onDeleted={() => navigate({ to: "/agents" })}
      />
    </>
  );
}

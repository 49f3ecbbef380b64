import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { berth } from "../../api/client.ts";
import { environmentQuery } from "../../api/queries/environments.ts";
import { useActions } from "../../shell/actions.ts";
import { AskToEnd } from "../../shell/ask-to-end.tsx";
import { Loaded, Scrolled } from "../../shell/object-page.tsx";
import { ObjectTabs } from "../../shell/object-tabs.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { buttonClass, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuEnd, MenuItem } from "../../ui/menu.tsx";
import { EnvironmentSettings } from "./environment-settings.tsx";
import { EnvironmentSetup } from "./environment-setup.tsx";

const route = getRouteApi("/environments/$environmentId");

/** Shows an environment: settings, preparations of its sandboxes, JSON. */
export function EnvironmentScreen() {
  const { environmentId } = route.useParams();
  const query = useQuery(environmentQuery(environmentId));
  return (
    <Loaded query={query} title="Environment">
      {(environment) => <EnvironmentPage environment={environment} />}
    </Loaded>
  );
}

function EnvironmentPage({ environment }: { environment: Environment }) {
  const { tab = "settings" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectTabs
      noun="Environment"
      name={environment.name}
      value={environment}
      list={{ name: "Environments", to: "/environments" }}
      actions={<EnvironmentActions environment={environment} />}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "settings" ? {} : { tab: next }, replace: true })}
      tabs={[
        {
          id: "settings",
          label: "Settings",
          content: () => (
            <Scrolled>
              <EnvironmentSettings environment={environment} />
            </Scrolled>
          ),
        },
        {
          id: "setup",
          label: "Setup",
          content: () => (
            <Scrolled>
              <EnvironmentSetup environment={environment} />
            </Scrolled>
          ),
        },
      ]}
      calls={[{ operation: operations.environments.get, params: { environment_id: environment.id } }]}
    />
  );
}

function EnvironmentActions({ environment }: { environment: Environment }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"archive" | "delete" | null>(null);
  const { id, name, archived_at } = environment;
  const isArchived = archived_at !== null;
  const edit = () =>
    void navigate({ to: "/environments/$environmentId/edit", params: { environmentId: id } });
  const use = () => void navigate({ to: "/new", search: { environment: id } });
  const copy = () => void navigate({ to: "/environments/new", search: { like: id } });
  const group = "Environment";
  useActions([
    ...(isArchived
      ? []
      : ([
          { id: "use", label: "New session in this environment", group, icon: "play", run: use },
          { id: "edit", label: "Edit this environment", group, icon: "environment", keys: "e", run: edit },
          {
            id: "archive",
            label: "Archive this environment",
            group,
            icon: "archive",
            run: () => setAsked("archive"),
          },
        ] as const)),
    { id: "copy", label: "New environment like this one", group, icon: "copy", run: copy },
    {
      id: "delete",
      label: "Delete this environment",
      group,
      icon: "trash",
      run: () => setAsked("delete"),
    },
  ]);
  useShortcuts(isArchived ? [] : [{ keys: "e", label: "Edit", group, run: edit }]);
  return (
    <>
      {!isArchived && (
        <>
          <Link
            to="/environments/$environmentId/edit"
            params={{ environmentId: id }}
            className={buttonClass("secondary", "small")}
          >
            Edit
          </Link>
          <Link to="/new" search={{ environment: id }} className={buttonClass("primary", "small")}>
            <Icon name="play" />
            <span className="max-sm:sr-only">New session</span>
          </Link>
        </>
      )}
      <Menu trigger={<IconButton icon="dots" label="More actions" />}>
        <MenuItem icon="copy" onSelect={copy}>
          New environment like this one
        </MenuItem>
        <MenuEnd
          isArchived={isArchived}
          onArchive={() => setAsked("archive")}
          onDelete={() => setAsked("delete")}
        />
      </Menu>
      <AskToEnd
        asked={asked}
        onClose={() => setAsked(null)}
        id={id}
        name={name}
        noun="environment"
        queryKey="environments"
        calls={berth.environments}
        means={{
          archive:
            "It can no longer be changed or used for new sessions, and this cannot be undone. Its sessions go on.",
          delete: "It is gone for good. While a session that has not ended uses it, it cannot be deleted.",
        }}
        onDeleted={() => navigate({ to: "/environments" })}
      />
    </>
  );
}

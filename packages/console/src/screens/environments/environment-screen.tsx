import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { environmentQuery } from "../../api/queries/environments.ts";
import { Scrolled } from "../../shell/api-tab.tsx";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { EnvironmentSettings } from "./environment-settings.tsx";
import { EnvironmentSetup } from "./environment-setup.tsx";

const route = getRouteApi("/environments/$environmentId");

const ENVIRONMENT: ObjectKind<Environment, "settings" | "setup"> = {
  title: "Environment",
  list: { name: "Environments", to: "/environments" },
  nameOf: ({ name }) => name,
  actions: (environment) => <EnvironmentActions environment={environment} />,
  tabs: (environment) => [
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
  ],
  calls: ({ id }) => [{ operation: operations.environments.get, params: { environment_id: id } }],
};

const ENDING: Ending = {
  noun: "environment",
  queryKey: "environments",
  list: "/environments",
  calls: berth.environments,
  means: {
    archive:
      "It can no longer be changed or used for new sessions. Its running sessions continue. This cannot be undone.",
    delete:
      "It is deleted for good. It cannot be deleted while a session that is not archived or terminated uses it.",
  },
};

/** Shows an environment: settings, preparations of its sandboxes, JSON. */
export function EnvironmentScreen() {
  const { environmentId } = route.useParams();
  const { tab = "settings" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectPage
      kind={ENVIRONMENT}
      query={useQuery(environmentQuery(environmentId))}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "settings" ? {} : { tab: next }, replace: true })}
    />
  );
}

function EnvironmentActions({ environment }: { environment: Environment }) {
  const navigate = useNavigate();
  const { id, name, archived_at } = environment;
  const edit = () =>
    void navigate({ to: "/environments/$environmentId/edit", params: { environmentId: id } });
  const use = () => void navigate({ to: "/new", search: { environment: id } });
  const copy = () => void navigate({ to: "/environments/new", search: { like: id } });
  const like = "New environment like this one";
  return (
    <ObjectActions
      item={environment}
      name={name}
      group="Environment"
      sharing="environments"
      ending={ENDING}
      actions={[
        { id: "use", label: "New session in this environment", icon: "play", run: use },
        {
          id: "edit",
          label: "Edit this environment",
          icon: "environment",
          shortcut: { keys: "e", label: "Edit" },
          run: edit,
        },
        { id: "copy", label: like, menu: like, icon: "copy", always: true, run: copy },
      ]}
    >
      {archived_at === null && (
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
    </ObjectActions>
  );
}

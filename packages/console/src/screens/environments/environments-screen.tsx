import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { agoColumn, describedNameColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";
import { RUNTIMES } from "./form.ts";
import { limitWords, networkingWords } from "./words.ts";

const route = getRouteApi("/environments");

const ENVIRONMENTS: ListKind<Environment> = {
  title: "Environments",
  noun: "environments",
  icon: "environment",
  operation: operations.environments.list,
  load: (query) => berth.environments.list(query),
  words: ({ name, description, id }) => [name, description, id],
  columns: [
    describedNameColumn("sm:w-2/5"),
    {
      title: "Networking",
      className: "max-md:hidden",
      cellClass: "max-w-64 truncate text-muted",
      cell: ({ config }) => networkingWords(config.networking),
    },
    {
      title: "Setup",
      className: "max-lg:hidden",
      cellClass: "max-w-56 truncate text-muted",
      cell: madeReadyBy,
    },
    {
      title: "Limits",
      className: "max-xl:hidden",
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ resources }) => limitWords(resources),
    },
    agoColumn("Changed", "pr-4", ({ updated_at }) => updated_at),
  ],
  empty: {
    title: "No environments yet",
    about:
      "An environment defines the sandbox of a session: the network that it can reach, the software that is installed, and its limits.",
    command: "berth environments create -f name=default",
  },
};

export function EnvironmentsScreen() {
  const navigate = route.useNavigate();
  return (
    <ListScreen
      kind={ENVIRONMENTS}
      search={route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      create={{ label: "New environment", to: "/environments/new" }}
    />
  );
}

function madeReadyBy({ config, image }: Environment): string {
  const { apt, npm, pip } = config.packages;
  const count = apt.length + npm.length + pip.length;
  const parts = [
    image !== null && showUnseen(image),
    count > 0 && `${count} ${count === 1 ? "package" : "packages"}`,
    config.runtimes === "auto" && "runtimes of the repositories",
    config.resolved_runtimes.map(({ runtime, version }) => `${RUNTIMES[runtime]} ${version}`).join(", "),
    config.setup_script !== null && "a script",
    config.repository_setup_script !== null && "repository setup script",
  ];
  return parts.filter(Boolean).join(", ");
}

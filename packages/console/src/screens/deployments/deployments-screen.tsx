import type { Deployment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useActions } from "../../shell/actions.ts";
import { describedNameColumn, ownerColumn } from "../../shell/list-columns.tsx";
import { type ListKind, ListScreen } from "../../shell/list-screen.tsx";
import { LIVE_MS } from "../../shell/list-search.ts";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Ago, Until } from "../../ui/moment.tsx";
import { scheduleWords } from "./schedule-form.ts";
import { StatusBadge } from "./status-badge.tsx";
import { pausedSentence } from "./words.ts";

const route = getRouteApi("/deployments");

const DEPLOYMENTS: ListKind<Deployment> = {
  title: "Deployments",
  noun: "deployments",
  icon: "clock",
  operation: operations.deployments.list,
  load: (query) => berth.deployments.list(query),
  words: ({ name, description, id }) => [name, description, id],
  columns: [
    describedNameColumn("w-full sm:w-2/5"),
    {
      title: "Status",
      cellClass: "sm:min-w-44 py-1.5",
      cell: (deployment) => (
        <>
          <StatusBadge deployment={deployment} />
          {deployment.archived_at === null && deployment.status === "paused" && (
            <span className="mt-0.5 block text-xs text-faint max-sm:hidden">
              {pausedSentence(deployment)}
            </span>
          )}
        </>
      ),
    },
    {
      title: "Schedule",
      className: "max-xl:hidden",
      cellClass: "max-w-64 truncate text-muted",
      cell: ({ schedule }) => scheduleWords(schedule),
    },
    ownerColumn(),
    {
      title: "Next run",
      align: "right",
      className: "max-sm:hidden",
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ schedule }) => {
        const [next] = schedule?.upcoming_runs_at ?? [];
        return next !== undefined && <Until at={next} />;
      },
    },
    {
      title: "Last run",
      align: "right",
      className: "pr-4",
      cellClass: "whitespace-nowrap text-faint",
      cell: (deployment) => <LastRun deployment={deployment} />,
    },
  ],
  empty: {
    title: "No deployments yet",
    about:
      "A deployment starts sessions by itself: each night, every Monday, once at a time, or when somebody asks. It keeps the agent, the environment, the repositories and the first message.",
    command:
      "berth deployments create -f name=nightly -f agent=AGENT_ID -f environment_id=ENVIRONMENT_ID -F initial_events=@events.json",
  },
};

/** Shows the deployments that the user may see. */
export function DeploymentsScreen() {
  const navigate = route.useNavigate();
  const add = () => void navigate({ to: "/deployments/new" });
  const label = "New deployment";
  useShortcuts([{ keys: "n", label, group: "List", run: add }]);
  useActions([{ id: "new deployment", label, group: "Action", icon: "plus", keys: "n", run: add }]);
  return (
    <ListScreen
      kind={DEPLOYMENTS}
      search={route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true })}
      create={{ label, to: "/deployments/new" }}
    />
  );
}

/** Shows when a deployment ran last, by hand as well; from a list of the newest runs of all, or its schedule. */
function LastRun({ deployment: { id, schedule } }: { deployment: Deployment }) {
  const { data } = useQuery({
    queryKey: ["deployments", "newest runs"],
    queryFn: async ({ signal }) => (await berth.deploymentRuns.list({ limit: 100 }, { signal })).data,
    refetchInterval: LIVE_MS,
  });
  const newest = data?.find(({ deployment_id }) => deployment_id === id);
  const at = newest?.created_at ?? schedule?.last_run_at ?? null;
  if (at === null) return "Never";
  return (
    <>
      {newest?.error != null && <span className="text-bad">failed </span>}
      <Ago at={at} />
    </>
  );
}

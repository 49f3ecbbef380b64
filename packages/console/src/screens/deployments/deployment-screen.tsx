import type { Deployment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { deploymentQuery, refreshDeployments } from "../../api/queries/deployments.ts";
import { useAccess } from "../../api/queries/shares.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { Scrolled } from "../../shell/api-tab.tsx";
import type { Ending } from "../../shell/ask-to-end.tsx";
import { LIVE_MS } from "../../shell/list-search.ts";
import { ObjectActions } from "../../shell/object-actions.tsx";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { DeploymentFacts, DeploymentState } from "./deployment-facts.tsx";
import { DeploymentRuns } from "./deployment-runs.tsx";
import { errorWords } from "./words.ts";

const route = getRouteApi("/deployments/$deploymentId");

const DEPLOYMENT: ObjectKind<Deployment, "runs"> = {
  title: "Deployment",
  list: { name: "Deployments", to: "/deployments" },
  nameOf: ({ name }) => name,
  actions: (deployment) => <DeploymentActions deployment={deployment} />,
  tabs: (deployment) => [
    {
      id: "runs",
      label: "Runs and settings",
      content: () => (
        <Scrolled>
          <div className="mx-auto grid min-h-full max-w-7xl content-start lg:content-stretch lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-[auto_1fr]">
            <div className="min-w-0 border-line max-lg:border-b lg:row-span-2 lg:border-r">
              <DeploymentRuns deployment={deployment} />
            </div>
            <div className="min-w-0 border-b border-line max-lg:order-first">
              <DeploymentState deployment={deployment} />
            </div>
            <div className="min-w-0">
              <DeploymentFacts deployment={deployment} />
            </div>
          </div>
        </Scrolled>
      ),
    },
  ],
  calls: ({ id }) => [
    { operation: operations.deployments.get, params: { deployment_id: id } },
    { operation: operations.deployments.runs, params: { deployment_id: id } },
  ],
};

const ENDING: Ending = {
  noun: "deployment",
  queryKey: "deployments",
  list: "/deployments",
  calls: { archive: (id) => berth.deployments.archive(id) },
  means: { archive: "It runs no more. Its runs and its sessions stay. This cannot be undone." },
};

/** Shows a deployment: its runs, its schedule, and what its sessions are created from. */
export function DeploymentScreen() {
  const { deploymentId } = route.useParams();
  const { tab = "runs" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectPage
      kind={DEPLOYMENT}
      query={useQuery({ ...deploymentQuery(deploymentId), refetchInterval: LIVE_MS })}
      tab={tab}
      onTab={(next) => void navigate({ search: next === "api" ? { tab: next } : {}, replace: true })}
    />
  );
}

function DeploymentActions({ deployment }: { deployment: Deployment }) {
  const { id, name, status, archived_at } = deployment;
  const navigate = useNavigate();
  const access = useAccess("deployments", deployment);
  const run = useMutation({
    mutationFn: () => berth.deployments.run(id),
    onSuccess: async ({ error }) => {
      await refreshDeployments();
      if (error === null) toast("A session is created");
      else toastError("No session was created", `${errorWords(error.type)} ${error.message}`);
    },
    onError: (error) => toastError("The deployment did not run", error.message),
  });
  const isPaused = status === "paused";
  const pause = useMutation({
    mutationFn: () => (isPaused ? berth.deployments.unpause(id) : berth.deployments.pause(id)),
    onSuccess: async () => {
      await refreshDeployments();
      toast(isPaused ? "The deployment is resumed" : "The deployment is paused");
    },
    onError: (error) =>
      toastError(`The deployment could not be ${isPaused ? "resumed" : "paused"}`, error.message),
  });
  const edit = () => void navigate({ to: "/deployments/$deploymentId/edit", params: { deploymentId: id } });
  const copy = () => void navigate({ to: "/deployments/new", search: { like: id } });
  const like = "New deployment like this one";
  const word = isPaused ? "Resume" : "Pause";
  const mayRun = access === "own" || access === "write";
  const mayEdit = access === "own";
  return (
    <ObjectActions
      item={deployment}
      name={name}
      group="Deployment"
      sharing="deployments"
      ending={ENDING}
      actions={[
        ...(mayRun
          ? ([
              {
                id: "run",
                label: "Run this deployment now",
                button: "Run now",
                icon: "play",
                busy: run.isPending,
                shortcut: { keys: "r", label: "Run now" },
                run: () => run.mutate(),
              },
              {
                id: "pause",
                label: `${word} this deployment`,
                button: word,
                look: "secondary",
                icon: isPaused ? "repeat" : "pause",
                busy: pause.isPending,
                run: () => pause.mutate(),
              },
            ] as const)
          : []),
        ...(mayEdit
          ? ([
              {
                id: "edit",
                label: "Edit this deployment",
                icon: "clock",
                shortcut: { keys: "e", label: "Edit" },
                run: edit,
              },
            ] as const)
          : []),
        { id: "copy", label: like, menu: like, icon: "copy", always: true, run: copy },
      ]}
    >
      {archived_at === null && mayEdit && (
        <Link
          to="/deployments/$deploymentId/edit"
          params={{ deploymentId: id }}
          className={buttonClass("secondary", "small")}
        >
          Edit
        </Link>
      )}
    </ObjectActions>
  );
}

import type { Deployment, DeploymentRun, Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { agoColumn } from "../../shell/list-columns.tsx";
import { LIVE_MS } from "../../shell/list-search.ts";
import { ObjectList } from "../../shell/object-list.tsx";
import { FilterToggle } from "../../ui/filter-menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Section } from "../../ui/section.tsx";
import { StatusOf } from "../../ui/session-status.tsx";
import { type Column, lineLinkClass } from "../../ui/table.tsx";
import { UnseenMark } from "../../ui/unseen-mark.tsx";
import { errorWords, triggerWords } from "./words.ts";

const route = getRouteApi("/deployments/$deploymentId");
const PAGE = 50;

/** Shows the runs of a deployment, newest first, each with the session that it created or why it did not. */
export function DeploymentRuns({ deployment: { id } }: { deployment: Deployment }) {
  const { failed = false } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { limit: PAGE, ...(failed ? { has_error: true } : {}) };
  const list = useList(["deployments", id, "runs", query], () => berth.deployments.runs(id, query), {
    live: LIVE_MS,
  });
  const sessions = useSessionsOf(id);
  const show = (on: true | undefined) =>
    void navigate({ search: on === undefined ? {} : { failed: on }, replace: true });
  return (
    <Section
      title="Runs"
      actions={
        <span className="flex items-center gap-3">
          <Link
            to="/sessions"
            search={{ deployment: id }}
            className="text-xs text-accent-text hover:underline"
          >
            All its sessions
          </Link>
          <FilterToggle label="With errors" icon="alert" on={failed} onChange={show} />
        </span>
      }
    >
      <div className="-mx-4">
        <ObjectList
          label="Runs"
          list={list}
          shown={list.items}
          searching={false}
          filtered={failed}
          onClear={() => show(undefined)}
          onOpen={({ session_id: sessionId }) =>
            sessionId !== null && void navigate({ to: "/sessions/$sessionId", params: { sessionId } })
          }
          columns={columnsWith(sessions)}
          empty={<p className="px-4 text-muted">It has not run yet.</p>}
          nothing={<p className="px-4 text-muted">No run has an error.</p>}
        />
      </div>
    </Section>
  );
}

/** Returns the newest sessions of a deployment, by their id. */
function useSessionsOf(deployment_id: string): ReadonlyMap<string, Session> {
  const { data = [] } = useQuery({
    queryKey: ["sessions", "of deployment", deployment_id],
    queryFn: async ({ signal }) => {
      const query = { deployment_id, include_archived: true, limit: 100 };
      return (await berth.sessions.list(query, { signal })).data;
    },
    refetchInterval: LIVE_MS,
  });
  return new Map(data.map((session) => [session.id, session]));
}

function columnsWith(sessions: ReadonlyMap<string, Session>): readonly Column<DeploymentRun>[] {
  return [
    {
      title: "Session",
      className: "pl-4",
      cellClass: "max-w-0 w-full py-1.5",
      cell: (run) =>
        run.error === null ? (
          <Created sessionId={run.session_id} session={sessions.get(run.session_id ?? "")} />
        ) : (
          <span className="flex items-start gap-2">
            <Icon name="alert" className="mt-0.5 text-bad" />
            <span className="min-w-0">
              <span className="block text-bad">{errorWords(run.error.type)}</span>
              <span className="block text-xs wrap-anywhere text-faint">{showUnseen(run.error.message)}</span>
            </span>
          </span>
        ),
    },
    {
      title: "Trigger",
      className: "max-sm:hidden",
      cellClass: "whitespace-nowrap text-muted",
      cell: ({ trigger_context }) => triggerWords(trigger_context),
    },
    agoColumn("Time", "pr-4", ({ created_at }) => created_at),
  ];
}

type CreatedProps = { sessionId: string | null; session: Session | undefined };

function Created({ sessionId, session }: CreatedProps) {
  if (sessionId === null) return null;
  return (
    <span className="flex items-center gap-2">
      {session !== undefined && <StatusOf session={session} />}
      {session?.unseen && <UnseenMark />}
      <Link to="/sessions/$sessionId" params={{ sessionId }} className={lineLinkClass}>
        {showUnseen(session?.title ?? "") || "Session"}
      </Link>
    </span>
  );
}

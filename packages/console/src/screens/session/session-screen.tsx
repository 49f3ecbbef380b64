import type { Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { markSessions } from "../../api/queries/desk.ts";
import { sessionQuery } from "../../api/queries/sessions.ts";
import { useAccess } from "../../api/queries/shares.ts";
import { queryClient } from "../../api/query-client.ts";
import { Page } from "../../shell/page.tsx";
import { useShortcuts } from "../../shell/shortcuts.ts";
import { Spinner } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { WaitingCalls, waitingOf } from "./answers/waiting-calls.ts";
import { Composer } from "./composer/composer.tsx";
import { ConnectionNote } from "./connection-note.tsx";
import { FailedClones } from "./failed-clones.tsx";
import { useSessionLog } from "./log/use-session-log.ts";
import type { SessionView } from "./log/view.ts";
import { firstPanel } from "./panels/first-panel.ts";
import { ResizablePanel } from "./panels/resizable-panel.tsx";
import type { PanelId } from "./scope/panel-ids.ts";
import { SessionContext } from "./scope/session-context.ts";
import { useSessionActions } from "./scope/use-session-actions.ts";
import { SessionHeading, SessionMenu, SessionState } from "./session-header.tsx";
import { StoppedNote } from "./stopped-note.tsx";
import { Transcript } from "./transcript/transcript.tsx";

const route = getRouteApi("/sessions/$sessionId");

type SessionSearch = ReturnType<typeof route.useSearch>;

const Panels = lazyRouteComponent(() => import("./panels/panels.tsx"), "Panels");

/** The page width in pixels below which the panel starts closed. */
const WIDE = 1_180;

/** Shows a session: its transcript, and the composer to answer it. */
export function SessionScreen() {
  const { sessionId } = route.useParams();
  // The key makes React discard all state when another session is shown.
  return <OneSession key={sessionId} sessionId={sessionId} />;
}

function OneSession({ sessionId }: { sessionId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session, error } = useQuery(sessionQuery(sessionId));
  const log = useSessionLog(sessionId);
  const actions = useSessionActions(sessionId);
  const { view } = log;
  useFreshSession(sessionId, view);
  useSeen(session);
  const [wide] = useState(() => innerWidth >= WIDE);
  const first = session === undefined ? "details" : firstPanel(session, view);
  const panel = search.panel ?? (wide ? first : "none");
  const setSearch = useCallback(
    (change: SessionSearch) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const status = view.status ?? session?.status ?? "idle";
  const follows = useAccess("sessions", session) === "read";
  const closed = follows || session?.archived_at != null || status === "terminated" || status === "deleted";
  const scope = useMemo(
    () =>
      session && { session, actions, closed, follows, showEvent: (event: string) => setSearch({ event }) },
    [session, actions, closed, follows, setSearch],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of waiting calls is new whenever one of them is
  const waiting = useMemo(() => waitingOf(view), [view.waiting]);
  useShortcuts([
    {
      keys: "p",
      label: "Open or close the panel",
      group: "Session",
      run: () => setSearch({ panel: panel === "none" ? first : "none" }),
    },
  ]);
  const failure = error ?? log.error;
  if (failure !== null && (scope === undefined || log.error !== null))
    return (
      <Page title="Session">
        <ErrorBox error={failure} className="m-6" />
      </Page>
    );
  if (scope === undefined)
    return (
      <Page title="Session">
        <Spinner className="m-6 text-faint" />
      </Page>
    );
  return (
    <SessionContext value={scope}>
      <WaitingCalls value={waiting}>
        <Page
          title={scope.session.title || "Session"}
          waiting={view.waiting.length}
          heading={<SessionHeading />}
          about={<SessionState view={view} />}
          actions={
            <SessionMenu
              panelOpen={panel !== "none"}
              onPanel={() => setSearch({ panel: panel === "none" ? first : "none" })}
            />
          }
          fixed
        >
          <div className="flex min-h-0 flex-1">
            <div className="relative flex min-w-0 flex-1 flex-col">
              <ConnectionNote connection={log.connection} onRetry={log.retry} />
              <FailedClones />
              <StoppedNote view={view} />
              <Transcript view={view} event={search.event} complete={!log.partial}>
                <Composer view={view} />
              </Transcript>
            </div>
            {panel !== "none" && (
              <ResizablePanel>
                <Suspense>
                  <Panels
                    panel={panel}
                    view={view}
                    events={log.events}
                    onChange={(next: PanelId) => setSearch({ panel: next })}
                    onClose={() => setSearch({ panel: "none" })}
                  />
                </Suspense>
              </ResizablePanel>
            )}
          </div>
        </Page>
      </WaitingCalls>
    </SessionContext>
  );
}

/** Marks the session as seen once the page shows it: an unseen tab sees nothing. */
function useSeen(session: Session | undefined): void {
  const isVisible = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === "visible");
  useEffect(() => {
    // A failed request is repeated when the session is read again.
    if (isVisible && session?.unseen) markSessions([session], false).catch(() => undefined);
  }, [isVisible, session]);
}

function onVisibilityChange(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

const CHANGES: ReadonlySet<string> = new Set([
  "session.updated",
  "session.error",
  "session.follow_started",
  "session.follow_handed_over",
  "session.follow_stopped",
]);

/** Reads the session's own fields again when its log shows that they changed. */
function useFreshSession(sessionId: string, { status, turn, rows }: SessionView): void {
  const last = rows.at(-1);
  const changed = last?.kind === "notice" && CHANGES.has(last.event.type) ? last.id : "";
  const placed = rows.findLast(({ kind }) => kind === "setup");
  const steps = placed?.kind === "setup" ? placed.steps.filter(({ phase }) => phase === "ready").length : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these tell that the session changed
  useEffect(() => {
    if (status !== null)
      void queryClient.invalidateQueries({ queryKey: ["sessions", sessionId], exact: true });
  }, [sessionId, status, turn, changed, placed?.id, steps]);
}

import type { Environment, Session } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { useList } from "../../api/use-list.ts";
import { formatSeconds } from "../../format/time.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { AnsiText } from "../../ui/ansi-text.tsx";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass, Spinner } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { SETUP_EVENTS, type SetupRun, setupRuns, stateOf } from "./setup-runs.ts";

/** Milliseconds between reads of a log while a step is running in it. */
const LIVE_MS = 1_500;
const QUIET_MS = 10_000;

/** Shows the preparations of the newest sessions' sandboxes: each step, and the log of each failure. */
export function EnvironmentSetup({ environment }: { environment: Environment }) {
  const query = { environment_id: environment.id, limit: 10, include_archived: true };
  const list = useList(["sessions", "setup", query], () => berth.sessions.list(query), { live: 5_000 });
  if (list.error !== null)
    return <ErrorBox error={list.error} retry={() => void list.refetch()} className="m-4" />;
  if (list.isPending) return <Spinner className="m-6 text-faint" />;
  if (list.items.length === 0)
    return (
      <Empty
        icon="environment"
        title="No session has used this environment yet"
        command={`berth run "Say hello" --environment ${environment.id}`}
        action={
          environment.archived_at === null && (
            <Link to="/new" search={{ environment: environment.id }} className={buttonClass("primary")}>
              New session in this environment
            </Link>
          )
        }
      >
        Packages are installed and the setup script runs for the first session after a change. Later sessions
        start with the result.
      </Empty>
    );
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
      <p className="text-muted">
        The result is kept until the packages, the script, the networking or the variables change.
      </p>
      {list.items.slice(0, 10).map((session) => (
        <SessionSetup key={session.id} session={session} />
      ))}
    </div>
  );
}

function SessionSetup({ session }: { session: Session }) {
  const log = useQuery({
    queryKey: ["sessions", session.id, "setup", session.status, session.usage.output_tokens],
    queryFn: async ({ signal }) => {
      const query = { types: [...SETUP_EVENTS], limit: 100 };
      const { data } = await berth.sessions.events.list(session.id, query, { signal });
      return setupRuns(data);
    },
    refetchInterval: ({ state }) => (isOpen(session, state.data) ? LIVE_MS : QUIET_MS),
    placeholderData: (before) => before,
  });
  const runs = log.data ?? [];
  return (
    <section className="overflow-hidden rounded-xl border border-line">
      <div className="flex items-center gap-3 border-b border-line bg-panel px-3 py-2 last:border-b-0">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.id }}
          className="min-w-0 flex-1 truncate font-medium hover:underline"
        >
          {showUnseen(session.title) || "Untitled session"}
        </Link>
        <Ago at={session.created_at} className="text-xs text-faint" />
      </div>
      {log.isError && <ErrorBox error={log.error} className="m-3" />}
      {log.isSuccess && runs.length === 0 && (
        <p className="px-3 py-2 text-muted">Its sandbox has not been opened yet.</p>
      )}
      {runs.map((run) => (
        <Run key={run.at} run={run} />
      ))}
    </section>
  );
}

function isOpen(session: Session, runs: readonly SetupRun[] | undefined): boolean {
  const last = runs?.at(-1);
  return session.status === "running" && (last === undefined || last.started === null);
}

const STATES = {
  building: { tone: "info", text: "Preparing" },
  failed: { tone: "bad", text: "Failed" },
  ready: { tone: "ok", text: "Ready" },
} as const;

const PHASES: Record<SetupRun["steps"][number]["phase"], string> = {
  system: "Operating system",
  runtimes: "Runtimes",
  apt_packages: "Debian packages",
  npm_packages: "npm packages",
  pip_packages: "pip packages",
  setup_script: "Setup script",
};

function Run({ run }: { run: SetupRun }) {
  const state = STATES[stateOf(run)];
  return (
    <div className="border-b border-line px-3 py-2.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={state.tone} dot live={run.started === null}>
          {state.text}
        </Badge>
        <span className="text-xs text-muted">
          {run.started !== null && `Sandbox opened after ${formatSeconds(run.started)}`}
          {stateOf(run) === "ready" && run.steps.length === 0 && ", with the earlier result"}
        </span>
        <Ago at={run.at} className="ml-auto text-xs text-faint" />
      </div>
      {run.steps.length > 0 && (
        <ul aria-label="Steps" className="mt-2 flex flex-col gap-1 text-xs">
          {run.steps.map(({ phase, seconds }) => (
            <li key={phase} className="flex items-center gap-2">
              {seconds === null ? (
                <Spinner className="size-3.5 text-info" />
              ) : (
                <Icon
                  name={hasFailed(run, phase) ? "cross" : "check"}
                  className={hasFailed(run, phase) ? "size-3.5 text-bad" : "size-3.5 text-ok"}
                />
              )}
              {PHASES[phase]}
              {seconds !== null && <span className="text-faint tabular">{formatSeconds(seconds)}</span>}
            </li>
          ))}
        </ul>
      )}
      {run.lowered !== undefined && (
        <p className="mt-2 text-xs text-warn">
          The operator's limits are lower than the environment's:{" "}
          {Object.entries(run.lowered)
            .map(([limit, value]) => `${limit} ${value}`)
            .join(", ")}
          .
        </p>
      )}
      {run.failures.map((message) => (
        <FailureLog key={message} message={message} />
      ))}
    </div>
  );
}

/** Whether a step failed. With several steps, the failed one is named in the first line of the message. */
function hasFailed({ steps, failures }: SetupRun, phase: SetupRun["steps"][number]["phase"]): boolean {
  if (failures.length === 0) return false;
  const word = phase === "setup_script" ? "setup script" : (phase.split("_")[0] ?? "");
  return steps.length === 1 || failures.some((message) => message.split("\n")[0]?.includes(word));
}

/** Shows the message of a failure, and the end of its output. */
function FailureLog({ message }: { message: string }) {
  const [head = "", ...output] = message.split("\n");
  return (
    <div className="mt-2">
      <p className="break-words">{showUnseen(head)}</p>
      {output.length > 0 && (
        <div className="relative mt-1.5">
          <CopyButton text={output.join("\n")} label="Copy the log" className="absolute top-1 right-1" />
          <pre
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
          >
            <AnsiText text={output.join("\n")} />
          </pre>
        </div>
      )}
    </div>
  );
}

import type { EventOf } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import { useSender } from "../../../api/queries/owners.ts";
import { followWords } from "../../../format/follow-words.ts";
import { formatPlural, formatShort } from "../../../format/numbers.ts";
import { ruleText } from "../../../format/rule-text.ts";
import { formatClock, formatSeconds } from "../../../format/time.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Spinner } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Icon } from "../../../ui/icon.tsx";
import type {
  DeniedRow as DeniedRowData,
  EndRow as EndRowData,
  NoticeEvent,
  NoticeRow as NoticeRowData,
  RetriesRow as RetriesRowData,
  SetupRow as SetupRowData,
  SetupStep,
} from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { RowFrame } from "./row-frame.tsx";

/** Shows the end of a turn: why it ended, how long it took, what it used. */
export const EndRow = memo(function EndRow({ row }: { row: EndRowData }) {
  const { seconds, calls, usage } = row.summary;
  const end = row.answered ? ANSWERED : END_WORDS[row.stopReason.type];
  const tokens = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const facts = [
    formatSeconds(seconds),
    calls > 0 && formatPlural(calls, "call"),
    tokens > 0 && `${formatShort(tokens)} in, ${formatShort(usage.output_tokens)} out`,
  ].filter(Boolean);
  return (
    <div className="flex items-center gap-3 text-xs text-faint">
      <span className="h-px flex-1 bg-line" />
      <span className={end.look}>{end.text}</span>
      <span className="tabular">{facts.join(" · ")}</span>
      <span className="h-px flex-1 bg-line" />
    </div>
  );
});

const ANSWERED = { text: "Waited for an answer", look: "font-medium text-muted" };

const END_WORDS: Record<EndRowData["stopReason"]["type"], { text: string; look: string }> = {
  end_turn: { text: "Done", look: "font-medium text-muted" },
  requires_action: { text: "Waits for an answer", look: "font-medium text-warn" },
  cancelled: { text: "Interrupted", look: "font-medium text-warn" },
  retries_exhausted: { text: "Gave up after retries", look: "font-medium text-bad" },
  refusal: { text: "The model refused", look: "font-medium text-bad" },
  max_turns: { text: "Stopped at the limit of requests", look: "font-medium text-warn" },
  budget_reached: { text: "Stopped at a budget", look: "font-medium text-warn" },
};

/** Shows what was prepared: system, packages, clones, container. */
export const SetupRow = memo(function SetupRow({ row }: { row: SetupRowData }) {
  return (
    <RowFrame row={row}>
      <ul aria-label="Preparations" className="flex flex-col gap-0.5 text-xs text-muted">
        {row.steps.map((step) => (
          <li key={step.key} className="flex min-h-5 items-center gap-2">
            {step.failed ? (
              <Icon name="cross" className="size-3.5 text-bad" />
            ) : step.seconds === null ? (
              <Spinner className="size-3.5 text-info" />
            ) : (
              <Icon name="check" className="size-3.5 text-ok" />
            )}
            <StepText step={step} />
          </li>
        ))}
      </ul>
    </RowFrame>
  );
});

function StepText({ step }: { step: SetupStep }) {
  const { session } = useSession();
  const resource = session.resources.find(({ id }) => id === step.key);
  const name =
    resource === undefined ? null : "url" in resource ? shortUrl(resource.url) : resource.mount_path;
  const what = step.kind === "resource" ? (name ?? "Resource") : PHASES[step.phase];
  const time = step.seconds === null || step.seconds < 0.1 ? "" : formatSeconds(step.seconds);
  const state =
    step.kind !== "resource"
      ? ""
      : step.failed
        ? "failed"
        : step.phase === "ready"
          ? `ready${step.commit ? ` at ${step.commit.slice(0, 10)}` : ""}`
          : PHASES[step.phase];
  const percent = step.percent === null || step.phase === "ready" ? "" : `${Math.round(step.percent)} %`;
  return (
    <span className="min-w-0 truncate">
      <span className="font-medium text-ink">{what}</span>{" "}
      {[state, percent, time, showUnseen(step.choice ?? "")].filter(Boolean).join(" · ")}
      {step.note !== null && <span className="text-warn"> {showUnseen(step.note)}</span>}
    </span>
  );
}

const PHASES: Record<string, string> = {
  system: "Operating system",
  runtimes: "Runtimes",
  runtimes_chosen: "Chosen runtimes",
  devcontainer_read: "devcontainer.json",
  apt_packages: "Debian packages",
  npm_packages: "npm packages",
  pip_packages: "pip packages",
  setup_script: "Setup script",
  container: "Container",
  waiting: "waiting",
  counting: "counting objects",
  receiving: "receiving",
  resolving: "resolving",
  checking_out: "checking out",
  setting_up: "setting up",
};

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/[^/]+\//, "").replace(/\.git$/, "");
}

/** Shows the connections that the environment's networking denied. */
export const DeniedRow = memo(function DeniedRow({ row }: { row: DeniedRowData }) {
  const hosts = [...new Set(row.denials.map(({ host, port }) => (port === null ? host : `${host}:${port}`)))];
  return (
    <RowFrame row={row}>
      <Notice tone="warn" icon="shield">
        Blocked by the networking of the environment:{" "}
        <span className="font-mono text-xs">{showUnseen(hosts.slice(0, 6).join(", "))}</span>
        {hosts.length > 6 && ` and ${hosts.length - 6} more`}{" "}
        <Link
          from="/sessions/$sessionId"
          to="."
          search={(search) => ({ ...search, panel: "network" })}
          className="text-accent-text underline"
        >
          Show
        </Link>
      </Notice>
    </RowFrame>
  );
});

/** Shows model requests that failed and were retried, with the last error. */
export const RetriesRow = memo(function RetriesRow({ row }: { row: RetriesRowData }) {
  const last = row.failures.at(-1)?.error;
  if (last === undefined) return null;
  return (
    <RowFrame row={row}>
      <Notice tone="warn" icon="refresh">
        <ErrorText type={last.type} message={last.message} />{" "}
        <span className="text-muted">
          {row.failures.length === 1 ? "Retried once." : `Retried ${row.failures.length} times.`}
        </span>
      </Notice>
    </RowFrame>
  );
});

/** Shows an event of the session that is not part of the agent's work. */
export const NoticeRow = memo(function NoticeRow({ row }: { row: NoticeRowData }) {
  const { tone, icon, text } = noticeOf(row.event);
  return (
    <RowFrame row={row}>
      <Notice tone={tone} icon={icon}>
        {text}
      </Notice>
    </RowFrame>
  );
});

type Look = { tone: "bad" | "warn" | "neutral"; icon: Parameters<typeof Icon>[0]["name"]; text: ReactNode };

function Notice({ tone, icon, children }: { tone: Look["tone"]; icon: Look["icon"]; children: ReactNode }) {
  const look = {
    bad: "border-bad/30 bg-bad-soft",
    warn: "border-warn/25 bg-warn-soft",
    neutral: "border-line bg-panel",
  }[tone];
  const mark = { bad: "text-bad", warn: "text-warn", neutral: "text-muted" }[tone];
  return (
    <div className={cx("flex items-start gap-2.5 rounded-lg border px-3 py-2", look)}>
      <Icon name={icon} className={cx("mt-0.5", mark)} />
      <div className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">{children}</div>
    </div>
  );
}

function omittedWords({ omitted, reason }: EventOf<"agent.content_omitted">): string {
  const parts = omitted.map(({ type, count, names = [] }) => {
    const what = formatPlural(count, type.replace("_", " "));
    return names.length === 0 ? what : `${what} (${names.join(", ")})`;
  });
  return `Left out of the requests to the model: ${parts.join(", ")}. ${showUnseen(reason)}`;
}

function InterruptedBy({ event }: { event: EventOf<"user.interrupt"> }) {
  const sender = useSender(event.created_by ?? event.sent_by);
  return sender === null ? "Interrupted." : `Interrupted by ${showUnseen(sender)}.`;
}

function RuleChange({ event }: { event: RuleEvent }) {
  const sender = useSender(event.created_by);
  const isAdded = event.type === "session.confirmation_rule_added";
  return (
    <>
      {isAdded ? "Always allowed in this session" : "No longer always allowed"} by {showUnseen(sender ?? "")}:{" "}
      <span className="font-mono text-xs">{showUnseen(ruleText(event))}</span>{" "}
      <Link
        from="/sessions/$sessionId"
        to="."
        search={(search) => ({ ...search, panel: "rules" })}
        className="text-accent-text underline"
      >
        All rules
      </Link>
    </>
  );
}

type RuleEvent = EventOf<"session.confirmation_rule_added" | "session.confirmation_rule_removed">;

function ErrorText({ type, message }: { type: string; message: string }) {
  return (
    <>
      <span className="font-medium">{type.replaceAll("_", " ").replace(/ error$/, "")}</span>:{" "}
      {showUnseen(message)}
    </>
  );
}

const RETRY_WORDS = {
  retrying: "It is retried.",
  exhausted: "It is retried in the next turn.",
  terminal: "",
} as const;

function noticeOf(event: NoticeEvent): Look {
  switch (event.type) {
    case "session.error": {
      const { type, message, retry_status: retry } = event.error;
      const text = (
        <>
          <ErrorText type={type} message={message} />{" "}
          <span className="text-muted">{RETRY_WORDS[retry.type]}</span>
        </>
      );
      return { tone: retry.type === "retrying" ? "warn" : "bad", icon: "alert", text };
    }
    case "system.message":
      return {
        tone: "neutral",
        icon: "message",
        text: showUnseen(event.content.map(({ text }) => text).join("\n")),
      };
    case "user.interrupt":
      return { tone: "neutral", icon: "stop", text: <InterruptedBy event={event} /> };
    case "agent.context_compacted":
      return {
        tone: "neutral",
        icon: "memory",
        text: `The earlier messages were summarized: ${formatShort(event.input_tokens_before)} tokens became ${formatShort(event.input_tokens_after)}.`,
      };
    case "agent.content_omitted":
      return { tone: "warn", icon: "memory", text: omittedWords(event) };
    case "session.status_rescheduled":
      return { tone: "neutral", icon: "refresh", text: rescheduledWords(event) };
    case "session.status_terminated":
      return { tone: "neutral", icon: "stop", text: "The session was terminated." };
    case "session.confirmation_rule_added":
    case "session.confirmation_rule_removed":
      return { tone: "neutral", icon: "shield", text: <RuleChange event={event} /> };
    case "session.follow_started":
    case "session.follow_handed_over":
    case "session.follow_stopped":
      return { tone: "neutral", icon: "branch", text: showUnseen(followWords(event)) };
    case "session.deleted":
      return { tone: "bad", icon: "trash", text: "The session was deleted." };
    case "session.container_reclaimed":
      return {
        tone: "neutral",
        icon: "archive",
        text: `${RECLAIM_WORDS[event.reason]}${savedWords(event.save)}`,
      };
    case "session.events_deleted":
      return {
        tone: "neutral",
        icon: "archive",
        text: "Earlier events were deleted under the organization's retention.",
      };
    case "session.updated":
      return {
        tone: "neutral",
        icon: "diff",
        text:
          event.title === undefined
            ? "The session's settings were changed."
            : `Renamed to “${showUnseen(event.title)}”.`,
      };
  }
}

function rescheduledWords({ retry_at, reason }: EventOf<"session.status_rescheduled">): string {
  if (reason !== undefined) return showUnseen(reason);
  return retry_at === undefined
    ? "The session waits, and continues by itself."
    : `The model is asked again at ${formatClock(retry_at)}.`;
}

function savedWords(save: EventOf<"session.container_reclaimed">["save"]): string {
  if (save === undefined) return "";
  const { saved_at: at, lost_calls: lost } = save;
  const since =
    lost === 0
      ? "nothing that was done is lost"
      : `what ${lost} later tool ${lost === 1 ? "call" : "calls"} did is lost`;
  return ` The disk was saved at ${at} and comes back; ${since}.`;
}

const RECLAIM_WORDS = {
  inactivity:
    "The container and its disk were removed after a day without activity. The next message creates new ones.",
  drained:
    "The container and its disk were removed, because the operator drained their host. The next message creates new ones.",
  lost: "The container's disk was lost. The next message creates a new one.",
} as const;

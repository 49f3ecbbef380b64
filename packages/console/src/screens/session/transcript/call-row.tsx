import { memo } from "react";
import { useSender } from "../../../api/queries/owners.ts";
import { formatClock, formatMoment, formatSeconds } from "../../../format/time.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Spinner } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { AnswerCall } from "../answers/answer-call.tsx";
import { callTimes } from "../log/call-times.ts";
import type { CallRow as CallRowData, CallState } from "../log/view.ts";
import { CallInput } from "./call-input.tsx";
import { CallLoop } from "./call-loop.tsx";
import { summarize } from "./call-summary.ts";
import { Attachments } from "./content-blocks.tsx";
import { useKept } from "./kept-state.ts";
import { LiveOutput, Output } from "./output.tsx";
import { RowFrame } from "./row-frame.tsx";

/**
 * Shows a tool call with its result. A `folded` call stays closed until it is opened, like the calls of a
 * nested loop.
 */
export const CallRow = memo(function CallRow({
  row,
  folded = false,
}: {
  row: CallRowData;
  folded?: boolean;
}) {
  const [open, setOpen] = useKept(`${row.id} open`, !folded);
  const { icon, name, about } = summarize(row.use);
  return (
    <RowFrame row={row}>
      <div
        className={cx(
          "overflow-hidden rounded-lg border bg-canvas",
          row.state === "waiting" ? "border-warn/60 shadow-low" : "border-line",
        )}
      >
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex h-9 w-full items-center gap-2 px-3 text-left -outline-offset-2 hover:bg-hover"
        >
          <Icon name={icon} className="text-muted" />
          <span className="font-medium whitespace-nowrap">{showUnseen(name)}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{showUnseen(about)}</span>
          <Duration row={row} />
          <StateMark state={row.state} />
        </button>
        {open && <CallBody row={row} />}
      </div>
    </RowFrame>
  );
});

function CallBody({ row }: { row: CallRowData }) {
  const { use, result } = row;
  const text = (result?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return (
    <>
      <CallInput use={use} />
      <Decision row={row} />
      {row.state === "waiting" && <AnswerCall row={row} />}
      {row.loop !== null && (
        <CallLoop id={row.id} loop={row.loop}>
          {(call) => <CallRow row={call} folded />}
        </CallLoop>
      )}
      {row.output !== null && <LiveOutput text={row.output.text} />}
      {result !== null && showsResult(row) && (
        <Output id={row.id} text={text} title={`${use.name} — output`} failed={row.state === "failed"} />
      )}
      {result?.content.some(({ type }) => type === "image") && (
        <div className="border-t border-line px-3 pt-1 pb-3">
          <Attachments blocks={result.content} />
        </div>
      )}
    </>
  );
}

/** Shows who allowed, denied or answered the call, when, and from where; or which rule allowed it. */
function Decision({ row: { use, confirmation, result } }: { row: CallRowData }) {
  const rule = "confirmation_rule" in use ? use.confirmation_rule : undefined;
  const answer = result?.type === "user.custom_tool_result" ? result : null;
  const event =
    confirmation ?? answer ?? (rule === undefined ? null : { ...rule, created_at: use.created_at });
  const by = event?.created_by ?? (event !== null && "sent_by" in event ? event.sent_by : undefined);
  const sender = useSender(by);
  if (event === null) return null;
  const verb =
    confirmation === null && answer !== null
      ? "Answered"
      : confirmation?.result === "deny"
        ? "Denied"
        : "Allowed";
  const reason = confirmation?.deny_message;
  const isByRule = confirmation === null && answer === null && rule !== undefined;
  return (
    <p className="border-t border-line px-3 py-1.5 text-xs text-muted wrap-anywhere">
      {verb}
      {isByRule && ` by the rule ${showUnseen(ruleOf(rule))} of ${showUnseen(sender ?? "")}`}
      {!isByRule && sender !== null && ` by ${showUnseen(sender)}`}
      {reason ? `: ${showUnseen(reason)}` : ""}
      <time
        dateTime={event.created_at}
        title={formatMoment(event.created_at)}
        className="ml-2 text-faint tabular"
      >
        {formatClock(event.created_at)}
      </time>
      {!isByRule && by !== undefined && "via" in by && (
        <span className="text-faint">, {by.via === "console" ? "in the console" : "over the API"}</span>
      )}
    </p>
  );
}

function ruleOf({ command_prefix: prefix }: { command_prefix: string | null }): string {
  return prefix === null ? "for all calls of the tool" : `“${prefix} …”`;
}

/** Whether to show the result. That of a successful edit says no more than the diff. */
function showsResult({ use, state }: CallRowData): boolean {
  return !(
    state === "done" &&
    use.type === "agent.tool_use" &&
    (use.name === "Edit" || use.name === "Write")
  );
}

/** Shows the run time of the call and, where there is room, the time that it waited for an answer. */
function Duration({ row }: { row: CallRowData }) {
  const { waited, ran } = callTimes(row);
  return (
    <span className="flex gap-2 text-xs whitespace-nowrap text-faint tabular">
      {waited !== null && waited >= 1 && (
        <span className="max-sm:hidden">waited {formatSeconds(waited)}</span>
      )}
      {ran !== null && ran >= 0.1 && <span>{formatSeconds(ran)}</span>}
    </span>
  );
}

const MARKS: Record<Exclude<CallState, "running">, { icon: IconName; look: string; label: string }> = {
  waiting: { icon: "pause", look: "text-warn", label: "Waits for an answer" },
  done: { icon: "check", look: "text-ok", label: "Done" },
  failed: { icon: "cross", look: "text-bad", label: "Failed" },
  denied: { icon: "lock", look: "text-bad", label: "Denied" },
};

function StateMark({ state }: { state: CallState }) {
  const mark = state === "running" ? null : MARKS[state];
  return (
    <span
      role="img"
      title={mark?.label ?? "Running"}
      aria-label={mark?.label ?? "Running"}
      className={cx("flex", mark?.look ?? "text-info")}
    >
      {mark === null ? <Spinner /> : <Icon name={mark.icon} />}
    </span>
  );
}

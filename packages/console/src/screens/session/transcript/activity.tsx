import { useEffect, useState } from "react";
import { formatClock, formatSeconds } from "../../../format/time.ts";
import { Spinner } from "../../../ui/button.tsx";
import type { SessionView } from "../log/view.ts";

/** Shows the agent's activity below the last row: how long it has worked, or when it retries. */
export function Activity({ view }: { view: SessionView }) {
  const { status, previews, requesting, retry } = view;
  const working = (status === "running" || status === "rescheduling") && previews.length === 0;
  if (!working) return null;
  return (
    <p
      role="status"
      className="mx-auto -mt-2 flex w-full max-w-4xl flex-wrap items-center gap-2 px-4 pb-5 text-muted md:px-6"
    >
      <Spinner className="size-3.5 text-info" />
      {retry !== null ? (
        <Retry at={retry.at} why={retry.why} />
      ) : (
        <>
          {status === "rescheduling" ? "Waiting to continue" : requesting ? "Asking the model" : "Working"}
          {view.current.since !== null && <Elapsed since={view.current.since} />}
        </>
      )}
    </p>
  );
}

/** Shows the time of a retry. Screen readers skip the countdown. */
function Retry({ at, why }: { at: string; why: string | null }) {
  const seconds = Math.max(0, Math.ceil((Date.parse(at) - useSecond()) / 1000));
  return (
    <>
      Retries at {formatClock(at)}
      {why !== null && ` (${why.replace(/^model_|_error$/g, "").replaceAll("_", " ")})`}
      <span aria-hidden="true" className="text-faint tabular">
        {seconds === 0 ? "now" : `in ${formatSeconds(seconds)}`}
      </span>
    </>
  );
}

function Elapsed({ since }: { since: string }) {
  const seconds = Math.max(0, Math.floor((useSecond() - Date.parse(since)) / 1000));
  return <span className="text-faint tabular">{formatSeconds(seconds)}</span>;
}

/** Returns the current time, updated every second. */
function useSecond(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

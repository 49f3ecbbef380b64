import { useEffect, useState } from "react";
import { formatSeconds } from "../../../format/time.ts";
import { Spinner } from "../../../ui/button.tsx";
import type { SessionView } from "../log/view.ts";

/** Below the last row while the agent works: that it does, and for how long. */
export function Activity({ view }: { view: SessionView }) {
  const { status, previews, requesting } = view;
  const working = (status === "running" || status === "rescheduling") && previews.length === 0;
  if (!working) return null;
  return (
    <p
      role="status"
      className="mx-auto -mt-2 flex w-full max-w-4xl items-center gap-2 px-4 pb-5 text-muted md:px-6"
    >
      <Spinner className="size-3.5 text-info" />
      {status === "rescheduling" ? "Waiting to go on" : requesting ? "Asking the model" : "Working"}
      {view.current.since !== null && <Elapsed since={view.current.since} />}
    </p>
  );
}

function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return <span className="text-faint tabular">{formatSeconds(seconds)}</span>;
}

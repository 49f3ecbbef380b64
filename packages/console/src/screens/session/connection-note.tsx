import { useEffect, useState } from "react";
import { Button, Spinner } from "../../ui/button.tsx";
import type { Connection } from "./log/log-follower.ts";

/** A connection that mends within this time is not worth a word. In milliseconds. */
const PATIENCE_MS = 700;

/** Tells that the connection is lost and when it is tried again; goes away by itself. */
export function ConnectionNote({ connection, onRetry }: { connection: Connection; onRetry: () => void }) {
  const lost = connection.state === "lost";
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!shown || connection.state !== "lost") return null;
  return (
    <div role="status" className="flex items-center gap-2 border-b border-warn/30 bg-warn-soft px-4 py-1.5">
      <Spinner className="text-warn" />
      <span className="flex-1">
        The connection to the service is lost. It is tried again by itself; nothing is missed.
      </span>
      <Button size="small" onClick={onRetry}>
        Try now
      </Button>
    </div>
  );
}

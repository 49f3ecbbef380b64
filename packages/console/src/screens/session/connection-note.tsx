import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { checkConnection, isConnected, onConnectionChange } from "../../api/connection.ts";
import { Button, Spinner } from "../../ui/button.tsx";
import type { Connection } from "./log/log-follower.ts";

/** Milliseconds that a connection may be lost before the note is shown. */
const PATIENCE_MS = 700;

/**
 * Shows a note that the log is not being followed. While the service cannot be reached at all, only the
 * page's banner is shown; when it is back, the log is followed again immediately.
 */
export function ConnectionNote({ connection, onRetry }: { connection: Connection; onRetry: () => void }) {
  const lost = connection.state === "lost";
  const [shown, setShown] = useState(false);
  const connected = useSyncExternalStore(onConnectionChange, isConnected);
  const wasAway = useRef(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void checkConnection(stop.signal).then(() => setShown(!stop.signal.aborted));
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [lost]);
  useEffect(() => {
    if (connected && lost && wasAway.current) onRetry();
    wasAway.current = !connected;
  }, [connected, lost, onRetry]);
  if (!connected || !shown || connection.state !== "lost") return null;
  return (
    <div role="status" className="flex items-center gap-2 border-b border-warn/30 bg-warn-soft px-4 py-1.5">
      <Spinner className="text-warn" />
      <span className="flex-1">
        The connection to the service is lost. The page connects again by itself; nothing is missed.
      </span>
      <Button size="small" onClick={onRetry}>
        Try now
      </Button>
    </div>
  );
}

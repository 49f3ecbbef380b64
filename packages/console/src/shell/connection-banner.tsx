import { useEffect, useSyncExternalStore } from "react";
import { checkConnection, isConnected, onConnectionChange } from "../api/connection.ts";
import { queryClient } from "../api/query-client.ts";
import { Button, Spinner } from "../ui/button.tsx";

/** Milliseconds between attempts to reach the service. */
const AGAIN_MS = 2_000;

/**
 * Shows a banner while the service cannot be reached. It keeps trying, and then reads the shown data again.
 */
export function ConnectionBanner() {
  const connected = useSyncExternalStore(onConnectionChange, isConnected);
  useEffect(() => {
    if (connected) return;
    const stop = new AbortController();
    const look = () => void checkConnection(stop.signal);
    const timer = setInterval(look, AGAIN_MS);
    window.addEventListener("online", look);
    return () => {
      stop.abort();
      clearInterval(timer);
      window.removeEventListener("online", look);
      if (isConnected()) void queryClient.invalidateQueries();
    };
  }, [connected]);
  if (connected) return null;
  return (
    <div
      role="status"
      className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-warn/30 bg-warn-soft px-4 py-1 max-md:pl-13"
    >
      <Spinner className="text-warn" />
      <span className="min-w-0 flex-1">
        The service cannot be reached. This page may be out of date; it continues by itself.
      </span>
      <Button size="small" onClick={() => void checkConnection(new AbortController().signal)}>
        Try now
      </Button>
    </div>
  );
}

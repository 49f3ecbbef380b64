import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type Followed, LogFollower } from "./log-follower.ts";

/** Returns the session's log as it grows, and `retry`, which reconnects immediately. */
export function useSessionLog(sessionId: string): Followed & { retry: () => void } {
  const follower = useMemo(() => new LogFollower(sessionId), [sessionId]);
  useEffect(() => follower.start(), [follower]);
  const followed = useSyncExternalStore(follower.subscribe, follower.snapshot);
  return useMemo(() => ({ ...followed, retry: follower.retry }), [followed, follower]);
}

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type Followed, LogFollower } from "./log-follower.ts";

/** The log of the session as it grows, and a way to try again at once while the service cannot be reached. */
export function useSessionLog(sessionId: string): Followed & { retry: () => void } {
  const follower = useMemo(() => new LogFollower(sessionId), [sessionId]);
  useEffect(() => follower.start(), [follower]);
  const followed = useSyncExternalStore(follower.subscribe, follower.snapshot);
  return useMemo(() => ({ ...followed, retry: follower.retry }), [followed, follower]);
}

import { ConflictError } from "@berth/sdk";
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import type { SessionView } from "../log/view.ts";

/** Milliseconds between reads of the disk while the agent works. */
const FRESH_MS = 3_000;

/**
 * Reads from the session's disk, after each turn and periodically while the agent works. The service responds
 * with a conflict if there is no disk, which is not retried.
 */
export function useDiskQuery<Value>(
  key: QueryKey,
  view: SessionView,
  read: (signal: AbortSignal) => Promise<Value>,
) {
  const isWorking = view.status === "running";
  return useQuery<Value>({
    queryKey: [...key, view.turn, view.status],
    queryFn: ({ signal }) => read(signal),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: (query) =>
      isWorking && !(query.state.error instanceof ConflictError) ? FRESH_MS : false,
  });
}

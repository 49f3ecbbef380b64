import { ConflictError } from "@berth/sdk";
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import type { SessionView } from "../log/view.ts";

/** How long what was read of a disk counts while the agent works. In milliseconds. */
const FRESH_MS = 3_000;

/**
 * What is read from the session's disk: again after each turn, and while the agent works now and then. The service answers with a
 * conflict where there is no disk; that is no fault to try again.
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

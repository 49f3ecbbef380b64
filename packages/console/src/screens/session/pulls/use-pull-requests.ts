import type { RepositoryPullRequests, SessionPullRequests } from "@berth/sdk";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { berth } from "../../../api/client.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import type { SessionView } from "../log/view.ts";

/** Milliseconds between looks while the panel is shown. */
const LOOK_MS = 30_000;
/** Seconds: what was asked longer ago is asked again. All who look ask about as often as one of them. */
const USUAL_AGE = LOOK_MS / 1_000 - 5;
/** After a turn, and when somebody wants to know. */
const LEAST_AGE = 5;

export type PullRequestsOfSession = {
  of: (resourceId: string) => RepositoryPullRequests | null;
  all: readonly RepositoryPullRequests[];
  error: Error | null;
  refresh: () => void;
  refreshes: boolean;
};

/** Reads the pull requests of a session after each turn, and while the panel is shown and the page visible. */
export function usePullRequests(
  sessionId: string,
  view: SessionView,
  enabled: boolean,
): PullRequestsOfSession {
  const client = useQueryClient();
  const queryKey = ["pull requests", sessionId, view.turn, view.status];
  const query = useQuery<SessionPullRequests>({
    queryKey,
    queryFn: ({ signal }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      return berth.sessions.pullRequests.get(
        sessionId,
        { max_age: isFirst ? LEAST_AGE : USUAL_AGE },
        { signal },
      );
    },
    enabled,
    placeholderData: keepPreviousData,
    staleTime: LEAST_AGE * 1_000,
    refetchInterval: ({ state }) =>
      state.data?.repositories.some(({ branches }) => branches.length > 0) ? LOOK_MS : false,
  });
  const refresh = useMutation({
    mutationFn: () => berth.sessions.pullRequests.get(sessionId, { max_age: LEAST_AGE }),
    onSuccess: (data) => client.setQueryData(queryKey, data),
  });
  const all = query.data?.repositories ?? [];
  return {
    of: (resourceId) => all.find(({ resource_id }) => resource_id === resourceId) ?? null,
    all,
    error: refresh.error ?? query.error,
    refresh: () => refresh.mutate(),
    refreshes: refresh.isPending,
  };
}

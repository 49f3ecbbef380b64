import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { whoamiQuery } from "./whoami.ts";

export const sessionQuery = (id: string) =>
  queryOptions({ queryKey: ["sessions", id], queryFn: ({ signal }) => berth.sessions.get(id, { signal }) });

/** The number of newest sessions that are read. */
const LIMIT = 100;

/**
 * Returns the ids of sessions that wait for an answer, and whether there are more. They are read every `live`
 * milliseconds.
 */
export function useWaiting(live: number): { ids: ReadonlySet<string>; more: boolean } {
  const { data } = useQuery({
    queryKey: ["sessions", "waiting"],
    queryFn: async ({ signal }) =>
      await berth.sessions.list({ requires_action: true, limit: LIMIT }, { signal }),
    refetchInterval: live,
  });
  return { ids: new Set(data?.data.map(({ id }) => id)), more: data?.has_more ?? false };
}

const FEW = 25;

/** The newest sessions, from which forms learn the installation's providers. */
export const recentSessions = queryOptions({
  queryKey: ["sessions", "newest"],
  queryFn: async ({ signal }) => (await berth.sessions.list({ limit: FEW }, { signal })).data,
  staleTime: 300_000,
});

/** The agent and environment of the user's last session; null if they have none. */
export const lastUsedQuery = queryOptions({
  queryKey: ["sessions", "last used"],
  queryFn: async ({ signal, client }) => {
    const { principal } = await client.ensureQueryData(whoamiQuery);
    const [last] = (
      await berth.sessions.list({ owner_id: principal.id, include_archived: true, limit: 1 }, { signal })
    ).data;
    return last === undefined ? null : { agentId: last.agent.id, environmentId: last.environment_id };
  },
});

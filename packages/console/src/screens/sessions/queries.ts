import type { Session } from "@berth/sdk";
import { useQueries } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";

/** Sessions of the list that wait for somebody: their last turn ended with calls to answer. Asked again when a session changed. */
export function useWaiting(sessions: readonly Session[]): ReadonlySet<string> {
  const idle = sessions.filter(({ status, archived_at }) => status === "idle" && archived_at === null);
  return useQueries({
    queries: idle.map(({ id, updated_at, usage }) => ({
      queryKey: ["waiting", id, updated_at, usage.output_tokens],
      queryFn: async ({ signal }: { signal: AbortSignal }) => await isWaiting(id, signal),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => new Set(idle.flatMap(({ id }, index) => (results[index]?.data ? [id] : []))),
  });
}

async function isWaiting(id: string, signal: AbortSignal): Promise<boolean> {
  const query = { order: "desc", limit: 1, types: ["session.status_idle"] } as const;
  const { data } = await berth.sessions.events.list(id, { ...query, types: [...query.types] }, { signal });
  const [last] = data;
  return last?.type === "session.status_idle" && last.stop_reason.type === "requires_action";
}

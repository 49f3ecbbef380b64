import { useQuery } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";

/** The newest so many of them are known. */
const MOST = 100;

/** Sessions that wait for an answer, by id, and whether there are more. Read again every `live` milliseconds. */
export function useWaiting(live: number): { ids: ReadonlySet<string>; more: boolean } {
  const { data } = useQuery({
    queryKey: ["sessions", "waiting"],
    queryFn: async ({ signal }) =>
      await berth.sessions.list({ requires_action: true, limit: MOST }, { signal }),
    refetchInterval: live,
  });
  return { ids: new Set(data?.data.map(({ id }) => id)), more: data?.has_more ?? false };
}

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { whoamiQuery } from "./whoami.ts";

/** The service names so many at once. */
const LIMIT = 100;

/**
 * What users, service accounts and the caller's organization are called: null for those that are gone, and until it is known. Only for
 * others than the caller the service is asked.
 */
export function useOwnerNames(ids: readonly string[]): (id: string) => string | null {
  const { data: me } = useQuery(whoamiQuery);
  const own = new Map(me && [me.principal, me.organization].map(({ id, name }) => [id, name]));
  const others = [...new Set(ids)]
    .filter((id) => /^(usr|svc)_/.test(id) && !own.has(id))
    .toSorted()
    .slice(0, LIMIT);
  const { data: names } = useQuery({
    queryKey: ["principals", others],
    queryFn: async ({ signal }) => {
      const { data } = await berth.principals.get({ ids: others }, { signal });
      return new Map(data.map(({ id, name }) => [id, name]));
    },
    enabled: me !== undefined && others.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  });
  return (id) => own.get(id) ?? names?.get(id) ?? null;
}

/** Who sent an event, for a sentence: `you`, a name, or the id of who is gone; null where the event does not say. */
export function useSender(sender: { id: string } | undefined): string | null {
  const { data: me } = useQuery(whoamiQuery);
  const nameOf = useOwnerNames(sender === undefined ? [] : [sender.id]);
  if (sender === undefined) return null;
  return sender.id === me?.principal.id ? "you" : (nameOf(sender.id) ?? sender.id);
}

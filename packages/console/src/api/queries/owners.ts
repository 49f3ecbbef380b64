import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { whoamiQuery } from "./whoami.ts";

/** The number of ids that the service resolves in one request. */
const LIMIT = 100;

/**
 * Returns the names of users, service accounts and the user's organization; null while loading and for
 * deleted ones. Only ids other than the user's own are requested.
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

/**
 * Returns who sent an event for a sentence: `you`, the name in the event, for events of version 0.1 the
 * present name, or the id of an erased user; null where the event names none.
 */
export function useSender(sender: { id: string; name?: string | null } | undefined): string | null {
  const { data: me } = useQuery(whoamiQuery);
  const nameOf = useOwnerNames(sender === undefined || sender.name !== undefined ? [] : [sender.id]);
  if (sender === undefined) return null;
  return sender.id === me?.principal.id ? "you" : (sender.name ?? nameOf(sender.id) ?? sender.id);
}

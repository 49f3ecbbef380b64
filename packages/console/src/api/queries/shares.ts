import type { Shares } from "@berth/sdk";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { queryClient } from "../query-client.ts";
import { whoamiQuery } from "./whoami.ts";

/** The kinds of objects that can be shared, by the noun of the API. */
export type Sharable =
  | "agents"
  | "environments"
  | "skills"
  | "vaults"
  | "memoryStores"
  | "files"
  | "sessions"
  | "deployments";

export const sharesQuery = (noun: Sharable, id: string) =>
  queryOptions({
    queryKey: ["shares", id],
    queryFn: ({ signal }) => berth[noun].shares(id, { signal }),
    staleTime: 30_000,
  });

/** What somebody may do; null for nothing more. */
export type ShareChange = { user?: string; access: "read" | "write" | null };

/** Shares an object or stops sharing it, and shows the outcome wherever the object is. */
export async function changeShares(
  noun: Sharable,
  id: string,
  { user, access }: ShareChange,
): Promise<Shares> {
  const whom = user === undefined ? {} : { user };
  const shares =
    access === null ? await berth[noun].unshare(id, whom) : await berth[noun].share(id, { ...whom, access });
  queryClient.setQueryData(sharesQuery(noun, id).queryKey, shares);
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] !== "shares" && queryKey[0] !== "whoami",
  });
  return shares;
}

type Owned = { id: string; owner_type: "user" | "organization"; owner_id: string };

/**
 * Returns what the signed-in user may do with an object; undefined until that is known. Only of what another user
 * owns the service is asked.
 */
export function useAccess(noun: Sharable, item: Owned | undefined): Shares["your_access"] | undefined {
  const { data: me } = useQuery(whoamiQuery);
  const { owner_type, owner_id, id = "" } = item ?? {};
  const isOwn = owner_type === "organization" || owner_id === me?.principal.id;
  const isAsked = item !== undefined && me !== undefined && !isOwn;
  const { data } = useQuery({ ...sharesQuery(noun, id), enabled: isAsked });
  return isAsked ? data?.your_access : item && me && "own";
}

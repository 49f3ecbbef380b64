import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { lastUsedQuery } from "./sessions.ts";

/** The number of choices that a filter or form offers. */
const LIMIT = 100;

/** The newest objects that are not archived, for forms and filters. */
export const agentChoices = queryOptions({
  queryKey: ["agents", "choices"],
  queryFn: async ({ signal }) => (await berth.agents.list({ limit: LIMIT }, { signal })).data,
});

export const environmentChoices = queryOptions({
  queryKey: ["environments", "choices"],
  queryFn: async ({ signal }) => (await berth.environments.list({ limit: LIMIT }, { signal })).data,
});

export const skillChoices = queryOptions({
  queryKey: ["skills", "choices"],
  queryFn: async ({ signal }) => (await berth.skills.list({ limit: LIMIT }, { signal })).data,
});

export const vaultChoices = queryOptions({
  queryKey: ["vaults", "choices"],
  queryFn: async ({ signal }) => (await berth.vaults.list({ limit: LIMIT }, { signal })).data,
});

export const memoryStoreChoices = queryOptions({
  queryKey: ["memory stores", "choices"],
  queryFn: async ({ signal }) => (await berth.memoryStores.list({ limit: LIMIT }, { signal })).data,
});

/**
 * Returns a form's initial choice: what the user's last session used if it is still offered, else the newest.
 * Returns undefined until that is known, or if nothing is offered.
 */
export function useFirstChoice(
  kind: "agentId" | "environmentId",
  choices: readonly { id: string }[] | undefined,
): string | undefined {
  const { data: last, isPending } = useQuery(lastUsedQuery);
  if (isPending || choices === undefined) return undefined;
  return choices.find(({ id }) => id === last?.[kind])?.id ?? choices[0]?.id;
}

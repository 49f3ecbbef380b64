import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { lastUsedQuery } from "./sessions.ts";

/** As many as a filter or a form can offer. */
const LIMIT = 100;

/** Objects that forms and filters offer: the newest, without archived ones. */
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
 * The choice that a form begins with: what the caller used for their last session, if it is still offered, else the newest. Undefined
 * until that is known, or where nothing is offered.
 */
export function useFirstChoice(
  kind: "agentId" | "environmentId",
  choices: readonly { id: string }[] | undefined,
): string | undefined {
  const { data: last, isPending } = useQuery(lastUsedQuery);
  if (isPending || choices === undefined) return undefined;
  return choices.find(({ id }) => id === last?.[kind])?.id ?? choices[0]?.id;
}

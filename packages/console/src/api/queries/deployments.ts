import { queryOptions, useQuery } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { queryClient } from "../query-client.ts";

const KEY = "deployments";

export const deploymentQuery = (id: string) =>
  queryOptions({ queryKey: [KEY, id], queryFn: ({ signal }) => berth.deployments.get(id, { signal }) });

/** The newest deployments, also archived ones, for names and filters. */
export const deploymentChoices = queryOptions({
  queryKey: [KEY, "choices"],
  queryFn: async ({ signal }) =>
    (await berth.deployments.list({ include_archived: true, limit: 100 }, { signal })).data,
  staleTime: 60_000,
});

/** Returns the name of a deployment that created a session; undefined while it is unknown, or not shared. */
export function useDeploymentName(id: string): string | undefined {
  const { data } = useQuery(deploymentChoices);
  const known = data?.find((one) => one.id === id);
  const { data: older } = useQuery({
    ...deploymentQuery(id),
    enabled: data !== undefined && known === undefined,
  });
  return (known ?? older)?.name;
}

/** Reads deployments, their runs and their sessions again. */
export async function refreshDeployments(): Promise<void> {
  await Promise.all([KEY, "sessions"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

import { queryOptions } from "@tanstack/react-query";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";

export const vaultQuery = (id: string) =>
  queryOptions({ queryKey: ["vaults", id], queryFn: ({ signal }) => berth.vaults.get(id, { signal }) });

/** Invalidates all queries of vaults. */
export function refreshVaults(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["vaults"] });
}

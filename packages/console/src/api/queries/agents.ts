import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

/**
 * Returns the query key of an agent. Keys begin with the noun, so that changing one object invalidates its
 * lists.
 */
export const agentKey = (id: string) => ["agents", id] as const;

export const agentQuery = (id: string) =>
  queryOptions({ queryKey: agentKey(id), queryFn: ({ signal }) => berth.agents.get(id, {}, { signal }) });

export const agentVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...agentKey(id), "version", version],
    queryFn: ({ signal }) => berth.agents.get(id, { version: String(version) }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

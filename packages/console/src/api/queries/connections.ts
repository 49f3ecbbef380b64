import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";
import { queryClient } from "../query-client.ts";

/** The newest connections, for forms. */
export const connectionChoices = queryOptions({
  queryKey: ["connections", "choices"],
  queryFn: async ({ signal }) => (await berth.connections.list({ limit: 100 }, { signal })).data,
});

/** The repositories of a connection's host with a part of a name. */
export const repositoriesQuery = (id: string, part: string) =>
  queryOptions({
    queryKey: ["connections", id, "repositories", part],
    queryFn: async ({ signal }) => {
      const query = { limit: 20, ...(part === "" ? {} : { query: part }) };
      return (await berth.connections.repositories(id, query, { signal })).data;
    },
    staleTime: 60_000,
    retry: false,
  });

/** The branches of a repository at a connection's host. */
export const branchesQuery = (id: string, repository: string) =>
  queryOptions({
    queryKey: ["connections", id, "branches", repository],
    queryFn: async ({ signal }) =>
      (await berth.connections.branches(id, { repository, limit: 100 }, { signal })).data,
    staleTime: 60_000,
    retry: false,
  });

/** Invalidates all queries of connections. */
export function refreshConnections(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["connections"] });
}

import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const skillQuery = (id: string) =>
  queryOptions({ queryKey: ["skills", id], queryFn: ({ signal }) => berth.skills.get(id, { signal }) });

export const skillVersionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ["skills", id, "version", version],
    queryFn: ({ signal }) => berth.skills.getVersion(id, version, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns the query of a file's content, which never changes, because a version does not. */
export const skillFileQuery = (id: string, version: number, path: string) =>
  queryOptions({
    queryKey: ["skills", id, "version", version, "content", path],
    queryFn: async ({ signal }) =>
      await (await berth.skills.content(id, version, { path }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

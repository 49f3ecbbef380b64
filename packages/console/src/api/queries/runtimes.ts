import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const runtimesQuery = queryOptions({
  queryKey: ["runtimes"],
  queryFn: async ({ signal }) => (await berth.runtimes.list({}, { signal })).data,
  staleTime: 300_000,
});

import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await berth.models.list({}, { signal })).data,
  staleTime: 300_000,
});

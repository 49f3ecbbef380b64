import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const environmentQuery = (id: string) =>
  queryOptions({
    queryKey: ["environments", id],
    queryFn: ({ signal }) => berth.environments.get(id, { signal }),
  });

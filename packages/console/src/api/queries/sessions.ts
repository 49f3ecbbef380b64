import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

export const sessionQuery = (id: string) =>
  queryOptions({ queryKey: ["sessions", id], queryFn: ({ signal }) => berth.sessions.get(id, { signal }) });

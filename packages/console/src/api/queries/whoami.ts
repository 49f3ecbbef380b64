import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

/** The signed-in user and their scopes. */
export const whoamiQuery = queryOptions({
  queryKey: ["whoami"],
  queryFn: ({ signal }) => berth.whoami.get({ signal }),
  staleTime: 60_000,
});

import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

/** Who is signed in, and what for. */
export const whoamiQuery = queryOptions({
  queryKey: ["whoami"],
  queryFn: ({ signal }) => berth.whoami.get({ signal }),
  staleTime: 60_000,
});

import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

/** Who is signed in. */
export const currentTokenQuery = queryOptions({
  queryKey: ["tokens", "current"],
  queryFn: ({ signal }) => berth.tokens.current({ signal }),
  staleTime: 60_000,
});

import { APIError } from "@berth/sdk";
import { QueryClient } from "@tanstack/react-query";
import { isSignedOut, onSignedOutChange } from "./signed-out.ts";

/** The client that caches all queries. It never retries, because the SDK does. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 5_000,
      refetchOnWindowFocus: (query) => !isDenied(query.state.error),
    },
    mutations: { retry: false },
  },
});

// Repeat the requests that were rejected while nobody was signed in.
onSignedOutChange(() => {
  if (!isSignedOut()) void queryClient.invalidateQueries();
});

function isDenied(error: unknown): boolean {
  return error instanceof APIError && error.status === 403;
}

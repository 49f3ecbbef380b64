import { APIError } from "@berth/sdk";
import { QueryClient } from "@tanstack/react-query";
import { isSignedOut, onSignedOutChange } from "./signed-out.ts";

/** The SDK retries what may succeed later, so that no query is retried here. */
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

// What was refused while nobody was signed in is asked again.
onSignedOutChange(() => {
  if (!isSignedOut()) void queryClient.invalidateQueries();
});

function isDenied(error: unknown): boolean {
  return error instanceof APIError && error.status === 403;
}

import type { ApiResponse } from "./api.ts";
import { IN_CLUSTER } from "./cluster-form.ts";
import { waitUntil } from "./wait-until.ts";

/**
 * Returns the response to a request whose token was just made invalid. The process that did so rejects the
 * token immediately, others within 50 ms.
 */
export async function refusedSoon(ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  let response = await ask();
  if (!IN_CLUSTER) return response;
  await waitUntil(
    async () => {
      if (response.status === 200) response = await ask();
      return response.status !== 200;
    },
    () => "The token is still accepted.",
  );
  return response;
}

import { Berth } from "@berth/sdk";
import { setConnected } from "./connection.ts";
import { noteRefusal, signInCount } from "./signed-out.ts";

/**
 * The client of the service that served this page. It authenticates by the sign-in's cookie; the page has no
 * token.
 */
export const berth = new Berth({ baseURL: location.origin, token: null, fetch: fetchSignedIn });

async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const signIns = signInCount();
  const response = await fetch(input, init).catch((error: unknown) => {
    if (!init?.signal?.aborted) setConnected(false);
    throw error;
  });
  setConnected(response.status !== 502 && response.status !== 504);
  // A read that a previous sign-in was rejected for is repeated with the new one. A write is not, since
  // another user may have signed in.
  const isOutdated = response.status === 401 && !noteRefusal(signIns);
  return isOutdated && (init?.method ?? "GET") === "GET" ? fetchSignedIn(input, init) : response;
}

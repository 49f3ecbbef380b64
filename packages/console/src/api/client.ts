import { Berth } from "@berth/sdk";
import { setConnected } from "./connection.ts";
import { noteRefusal, signInCount } from "./signed-out.ts";

/** The service that served this page. The browser sends the sign-in's cookie along; there is no token in the page. */
export const berth = new Berth({ baseURL: location.origin, token: null, fetch: fetchSignedIn });

async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const signIns = signInCount();
  const response = await fetch(input, init).catch((error: unknown) => {
    if (!init?.signal?.aborted) setConnected(false);
    throw error;
  });
  setConnected(response.status !== 502 && response.status !== 504);
  // What was read for a sign-in that has ended is read again for the next one. A write is not: its writer may be another.
  const isOutdated = response.status === 401 && !noteRefusal(signIns);
  return isOutdated && (init?.method ?? "GET") === "GET" ? fetchSignedIn(input, init) : response;
}

import { Berth } from "@berth/sdk";
import { setConnected } from "./connection.ts";
import { setSignedOut } from "./signed-out.ts";

/** The service that served this page. The browser sends the sign-in's cookie along; there is no token in the page. */
export const berth = new Berth({ baseURL: location.origin, token: null, fetch: fetchSignedIn });

async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init).catch((error: unknown) => {
    if (!init?.signal?.aborted) setConnected(false);
    throw error;
  });
  setConnected(response.status !== 502 && response.status !== 504);
  if (response.status === 401) setSignedOut(true);
  return response;
}

import { Berth } from "@berth/sdk";
import { setSignedOut } from "./signed-out.ts";

/** The service that served this page. The browser sends the sign-in's cookie along; there is no token in the page. */
export const berth = new Berth({ baseURL: location.origin, token: null, fetch: fetchSignedIn });

async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status === 401) setSignedOut(true);
  return response;
}

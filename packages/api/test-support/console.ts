import type { HttpApp } from "../src/http/http-app.ts";
import type { Reply, Wire } from "./http.ts";

/** A page of the service in a browser, which keeps the cookies that it receives. */
export interface Page {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** Signs in with a token, and throws when that fails. */
  signIn(token: string): Promise<void>;
}

/** Opens a page. @param origin of the service in the browser. */
export function openPage({ fastify }: HttpApp, origin = "http://localhost"): Page {
  const cookies = new Map<string, string>();
  const call = async (
    method: "GET" | "POST" | "DELETE",
    path: string,
    { headers, body }: { headers: Record<string, string>; body?: unknown },
  ): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fastify.inject({
      method,
      url: /^\/(api|console)\//.test(path) ? path : `/api/v1/cloud${path}`,
      headers: {
        host: new URL(origin).host,
        ...(method === "GET" ? {} : { origin }),
        "sec-fetch-site": "same-origin",
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    for (const { name, value, maxAge } of response.cookies)
      if (maxAge === 0) cookies.delete(name);
      else cookies.set(name, value);
    const json = String(response.headers["content-type"]).startsWith("application/json");
    const { statusCode: status, payload: text } = response;
    return { status, headers: response.headers, text, body: (json ? JSON.parse(text) : text) as Wire };
  };
  return {
    cookies,
    get: (path, headers = {}) => call("GET", path, { headers }),
    post: (path, body, headers = {}) => call("POST", path, { headers, body }),
    delete: (path, headers = {}) => call("DELETE", path, { headers }),
    async signIn(token) {
      const { status, text } = await call("POST", "/console/auth/token", { headers: {}, body: { token } });
      if (status !== 204) throw new Error(text);
    },
  };
}

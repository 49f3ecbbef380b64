import assert from "node:assert/strict";
import { IN_CLUSTER } from "./cluster-form.ts";

/** A request body, possibly invalid. */
export type Json = unknown;
export type Body = NonNullable<RequestInit["body"]>;
// biome-ignore lint/suspicious/noExplicitAny: tests assert on JSON of any shape
export type AnyJson = any;

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: AnyJson;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** A body that is sent without encoding. */
  raw?: Body;
}

/** A plain HTTP client with a token: it does not retry, validate or interpret. */
export class Api {
  readonly url: string;
  readonly token: string | null;

  constructor(url: string, token: string | null) {
    this.url = url;
    this.token = token;
  }

  get(path: string, options?: CallOptions): Promise<ApiResponse> {
    return this.call("GET", path, undefined, options);
  }

  post(path: string, body?: Json, options?: CallOptions): Promise<ApiResponse> {
    return this.call("POST", path, body, options);
  }

  delete(path: string, options?: CallOptions): Promise<ApiResponse> {
    return this.call("DELETE", path, undefined, options);
  }

  /** `path` is below /api/v1/cloud unless it begins with `/api` or `//`. */
  async call(method: string, path: string, body?: Json, options: CallOptions = {}): Promise<ApiResponse> {
    const headers = this.headers(options.headers);
    if (body !== undefined) headers.set("content-type", headers.get("content-type") ?? "application/json");
    const payload = options.raw ?? (body === undefined ? null : JSON.stringify(body));
    const result = await fetch(this.address(path), { method, headers, body: payload, redirect: "manual" });
    const text = await result.text();
    const json = result.headers.get("content-type")?.startsWith("application/json") ?? false;
    return { status: result.status, headers: result.headers, body: json ? JSON.parse(text) : text };
  }

  /** The headers of a request, with the token unless `given` has an authorization. */
  headers(given: Record<string, string> = {}): Headers {
    const headers = new Headers(given);
    if (this.token !== null && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${this.token}`);
    // A new connection for each request makes the balancer choose another machine each time.
    if (IN_CLUSTER && !headers.has("connection")) headers.set("connection", "close");
    return headers;
  }

  address(path: string): string {
    if (path.startsWith("//")) return this.url + path.slice(1);
    return this.url + (path.startsWith("/api") ? path : `/api/v1/cloud${path}`);
  }

  /** Returns the body of the response, whose status must be 200. */
  async ok(method: "GET" | "POST" | "DELETE", path: string, body?: Json): Promise<AnyJson> {
    const response = await this.call(method, path, body);
    assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  }
}

/**
 * Asserts that a response is the error envelope with this status and type, and the expected message and
 * param.
 */
export function assertError(
  response: ApiResponse,
  status: number,
  type: string,
  expected: { message?: string | RegExp; param?: string } = {},
): void {
  assert.equal(response.status, status, JSON.stringify(response.body));
  const { body } = response;
  assert.equal(body.type, "error");
  assert.equal(body.error.type, type, JSON.stringify(body));
  assert.equal(typeof body.request_id, "string");
  assert.equal(body.request_id, response.headers.get("x-request-id"));
  assert.ok(typeof body.error.message === "string" && body.error.message.length > 0);
  if (typeof expected.message === "string") assert.equal(body.error.message, expected.message);
  else if (expected.message !== undefined) assert.match(body.error.message, expected.message);
  if (expected.param !== undefined) assert.equal(body.error.param, expected.param, JSON.stringify(body));
}

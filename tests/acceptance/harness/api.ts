import assert from "node:assert/strict";

/** Whatever a request may carry, also what no client would send. */
export type Json = unknown;
export type Body = NonNullable<RequestInit["body"]>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds and asserts on it
export type AnyJson = any;

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: AnyJson;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as it is. */
  raw?: Body;
}

/** Plain HTTP with a token: nothing is retried, checked or interpreted. */
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
    const response = await fetch(this.address(path), { method, headers, body: payload, redirect: "manual" });
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  /** What every call carries. */
  headers(given: Record<string, string> = {}): Headers {
    const headers = new Headers(given);
    if (this.token !== null && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${this.token}`);
    return headers;
  }

  address(path: string): string {
    if (path.startsWith("//")) return this.url + path.slice(1);
    return this.url + (path.startsWith("/api") ? path : `/api/v1/cloud${path}`);
  }

  /** The body of an answer that must be 200. */
  async ok(method: "GET" | "POST" | "DELETE", path: string, body?: Json): Promise<AnyJson> {
    const answer = await this.call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** Holds a refusal to the envelope: status, type, and what else is named. */
export function assertError(
  answer: ApiResponse,
  status: number,
  type: string,
  expected: { message?: string | RegExp; param?: string } = {},
): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  const { body } = answer;
  assert.equal(body.type, "error");
  assert.equal(body.error.type, type, JSON.stringify(body));
  assert.equal(typeof body.request_id, "string");
  assert.equal(body.request_id, answer.headers.get("x-request-id"));
  assert.ok(typeof body.error.message === "string" && body.error.message.length > 0);
  if (typeof expected.message === "string") assert.equal(body.error.message, expected.message);
  else if (expected.message !== undefined) assert.match(body.error.message, expected.message);
  if (expected.param !== undefined) assert.equal(body.error.param, expected.param, JSON.stringify(body));
}

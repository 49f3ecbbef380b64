import assert from "node:assert/strict";
import { checkError, checkList, checkResource, type Json, type Schemas } from "./check-messages.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ScimResponse {
  status: number;
  headers: Headers;
  body: Json;
}

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/**
 * A client of SCIM 2.0, written to RFC 7643 and RFC 7644. It holds every response to them, and each resource to
 * the schemas that the service itself publishes.
 */
export class ScimClient {
  readonly base: string;
  readonly #token: string;
  #schemas: Schemas | null = null;

  /** @param base URL of SCIM. */
  constructor(base: string, token: string) {
    this.base = base;
    this.#token = token;
  }

  /** Sends a request, whose response must be one that the RFC allows for it. */
  async send(
    method: Method,
    path: string,
    body?: Json,
    headers: Record<string, string> = {},
  ): Promise<ScimResponse> {
    const response = await fetch(this.base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: "application/scim+json",
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    if (status === 204) {
      assert.equal(text, "", `${method} ${path}`);
      return { status, headers: response.headers, body: undefined };
    }
    assert.match(
      response.headers.get("content-type") ?? "",
      /^application\/scim\+json\b/,
      `${method} ${path}`,
    );
    const parsed = JSON.parse(text);
    if (status >= 400) checkError(parsed, status);
    return { status, headers: response.headers, body: parsed };
  }

  /** Sends a request that must have this status. Returns its body. */
  async expect(status: number, method: Method, path: string, body?: Json): Promise<Json> {
    const response = await this.send(method, path, body);
    assert.equal(response.status, status, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  }

  async #readSchemas(): Promise<Schemas> {
    const { Resources } = checkList(await this.expect(200, "GET", "/Schemas"));
    return new Map(Resources.map((schema: Json) => [schema.id, schema]));
  }

  async #checked(resource: Json): Promise<Json> {
    this.#schemas ??= await this.#readSchemas();
    checkResource(resource, this.#schemas, this.base);
    return resource;
  }

  /** Creates a resource, which must be readable at its location. */
  async create(endpoint: "/Users" | "/Groups", body: Json): Promise<Json> {
    const response = await this.send("POST", endpoint, body);
    assert.equal(response.status, 201, JSON.stringify(response.body));
    const made = await this.#checked(response.body);
    assert.equal(response.headers.get("location"), made.meta.location);
    assert.equal(made.meta.location, `${this.base}${endpoint}/${made.id}`);
    assert.deepEqual(await this.read(`${endpoint}/${made.id}`), made);
    return made;
  }

  async read(path: string): Promise<Json> {
    return await this.#checked(await this.expect(200, "GET", path));
  }

  async replace(path: string, body: Json): Promise<Json> {
    const replaced = await this.#checked(await this.expect(200, "PUT", path, body));
    assert.deepEqual(await this.read(path), replaced);
    return replaced;
  }

  /** Patches a resource. Returns it, whether or not the response has it. */
  async patch(path: string, ...Operations: Json[]): Promise<Json> {
    const { status, body } = await this.send("PATCH", path, { schemas: [PATCH_OP], Operations });
    assert.ok(status === 200 || status === 204, JSON.stringify(body));
    const read = await this.read(path);
    if (status === 200) assert.deepEqual(body, read);
    return read;
  }

  /** Deletes a resource, of which every later request must be 404. */
  async remove(path: string): Promise<void> {
    assert.equal((await this.send("DELETE", path)).status, 204);
    for (const method of ["GET", "DELETE"] as const) await this.expect(404, method, path);
  }

  /** Returns a page of a list. @param query parameters, not encoded. */
  async list(endpoint: "/Users" | "/Groups", query: Record<string, string> = {}): Promise<Json> {
    const page = checkList(await this.expect(200, "GET", `${endpoint}?${new URLSearchParams(query)}`));
    const isWhole = query.attributes === undefined && query.excludedAttributes === undefined;
    if (isWhole) for (const resource of page.Resources) await this.#checked(resource);
    return page;
  }
}

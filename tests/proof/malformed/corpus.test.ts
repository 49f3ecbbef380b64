import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Api, type ApiResponse, assertError, type Body } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeFile, makeSession } from "../../acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../../acceptance/harness/no-limits.ts";
import { headers } from "./headers.ts";
import type { Input } from "./input.ts";
import { jsonSyntax } from "./json-syntax.ts";
import { mountPaths, paths, queries, repositoryUrls } from "./paths-and-urls.ts";
import { wrongParts, wrongShapes, wrongValues } from "./values.ts";

/**
 * Tests malformed requests. Each gets the expected error, and the service keeps working. Prints the slowest
 * request.
 */

let berth: Berth;
let api: Api;
let ids: Record<string, string>;
before(async () => {
  berth = await Berth.start({ settings: { ...NO_LIMITS, BERTH_LOG_LEVEL: "error" } });
  api = await berth.client();
  const session = await makeSession(api);
  const file = await makeFile(api, "x");
  ids = {
    "<agent>": session.agent.id,
    "<environment>": session.environment_id,
    "<session>": session.id,
    "<file>": file.id,
  };
});
after(() => berth.stop());

const CORPUS = {
  jsonSyntax,
  wrongValues,
  wrongParts,
  wrongShapes,
  queries,
  paths,
  mountPaths,
  repositoryUrls,
  headers,
};
const ERROR_TYPES = { 400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error" };
const TOTAL = Object.values(CORPUS).reduce((sum, inputs) => sum + inputs.length, 0);

describe(`${TOTAL} malformed inputs`, { timeout: 600_000 }, () => {
  let slowest = { name: "", milliseconds: 0 };

  for (const [section, inputs] of Object.entries(CORPUS)) {
    test(`${section}: ${inputs.length} inputs are rejected`, async () => {
      for (const input of inputs) {
        const startedAt = performance.now();
        const response = await send(input);
        const milliseconds = performance.now() - startedAt;
        if (milliseconds > slowest.milliseconds) slowest = { name: input.name, milliseconds };
        assertRejected(input, response);
      }
      await api.ok("GET", "/agents?limit=1");
    });
  }

  test("malformed inputs changed nothing", async () => {
    const { data } = await api.ok("GET", "/agents");
    assert.equal(data.length, 1, "no malformed input created an agent");
    console.log(`slowest: ${slowest.name}: ${Math.round(slowest.milliseconds)} ms`);
  });
});

function assertRejected({ name, status = 400, param }: Input, response: ApiResponse): void {
  try {
    assertError(
      response,
      status,
      ERROR_TYPES[status as keyof typeof ERROR_TYPES],
      param === undefined ? {} : { param },
    );
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function send({ method = "POST", path, headers = {}, body }: Input): Promise<ApiResponse> {
  const isJson =
    (typeof body === "object" && body.constructor === Object) ||
    (typeof body === "object" && Object.hasOwn(body, "name"));
  const raw = isJson ? JSON.stringify(body) : (body as Body | undefined);
  const type = headers["content-type"] ?? (raw === undefined ? undefined : "application/json");
  const named = typeof raw === "string" ? withIds(raw) : raw;
  return await api.call(method, withIds(path), undefined, {
    headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
    ...(named === undefined ? {} : { raw: named }),
  });
}

function withIds(text: string): string {
  return text.replaceAll(/<\w+>/g, (name) => ids[name] ?? name);
}

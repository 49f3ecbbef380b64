import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Api, type ApiResponse, assertError, type Body } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeFile, makeSession } from "../../acceptance/harness/fixtures.ts";
import { mountPaths, paths, queries, repositoryUrls } from "./addresses.ts";
import { headers } from "./headers.ts";
import type { Input } from "./input.ts";
import { jsonSyntax } from "./json-syntax.ts";
import { wrongParts, wrongShapes, wrongValues } from "./values.ts";

/** Inputs that nobody should send. Each gets its refusal, and the service goes on; the slowest is printed. */

let berth: Berth;
let api: Api;
let ids: Record<string, string>;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
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

const corpus = {
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
const types = { 400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error" };
const total = Object.values(corpus).reduce((sum, inputs) => sum + inputs.length, 0);

describe(`${total} malformed inputs`, { timeout: 300_000 }, () => {
  let slowest = { name: "", milliseconds: 0 };

  for (const [section, inputs] of Object.entries(corpus)) {
    test(`${section}: ${inputs.length}`, async () => {
      for (const input of inputs) {
        const began = performance.now();
        const answer = await send(input);
        const milliseconds = performance.now() - began;
        if (milliseconds > slowest.milliseconds) slowest = { name: input.name, milliseconds };
        holdRefusal(input, answer);
      }
      await api.ok("GET", "/agents?limit=1");
    });
  }

  test("the service has what it had", async () => {
    const { data } = await api.ok("GET", "/agents");
    assert.equal(data.length, 1, "no malformed input made an agent");
    console.log(`slowest: ${slowest.name}: ${Math.round(slowest.milliseconds)} ms`);
  });
});

function holdRefusal({ name, status = 400, param }: Input, answer: ApiResponse): void {
  try {
    assertError(answer, status, types[status as keyof typeof types], param === undefined ? {} : { param });
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function send({ method = "POST", path, headers = {}, body }: Input): Promise<ApiResponse> {
  const whole =
    (typeof body === "object" && body.constructor === Object) ||
    (typeof body === "object" && Object.hasOwn(body, "name"));
  const raw = whole ? JSON.stringify(body) : (body as Body | undefined);
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

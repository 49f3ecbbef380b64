import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Api, ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { NO_LIMITS } from "../acceptance/harness/no-limits.ts";
import { valuesOf } from "./harness/arbitrary.ts";
import {
  type DescribedOperation,
  type OpenApiDocument,
  readOpenApiDocument,
} from "./harness/openapi-document.ts";
import { createResponseValidator } from "./harness/response-validator.ts";
import { absentObjects, makeTenantObjects } from "./harness/tenant-objects.ts";

/**
 * Tests requests generated from the service's OpenAPI document, most of them valid, some with a fault at any
 * depth. Every response must be documented and match its schema, and the service must still respond
 * afterwards.
 */

const REQUESTS = 5_000;
const CONCURRENCY = 8;

let berth: Berth;
let api: Api;
let operator: Api;
before(async () => {
  berth = await Berth.start({ settings: { ...NO_LIMITS, BERTH_LOG_LEVEL: "error" } });
  api = await berth.client();
  operator = await berth.operator();
});
after(() => berth.stop());

/** Ids by the name of the path parameter. */
type Ids = Record<string, string>;

interface GeneratedRequest {
  operation: DescribedOperation;
  path: string;
  body: unknown;
}

test(`${REQUESTS} generated requests: every response is documented`, { timeout: 600_000 }, async () => {
  const described = await readOpenApiDocument(berth.url);
  const check = createResponseValidator(described);
  const other = await berth.client({ user: "other@example.com", org: "other" });
  const permanent = await makeTenantObjects(api, "permanent");
  const disposable = await makeTenantObjects(api, "disposable");
  const others = [(await makeTenantObjects(other, "foreign")).ids, absentObjects(permanent).ids];
  const idsFor = (operation: DescribedOperation) => {
    // An operator's requests disable, limit and erase, so they never target the callers of the other
    // requests.
    if (operation.isOperators) return others;
    const own = isDestructive(operation) ? disposable.ids : permanent.ids;
    return [own, own, own, ...others];
  };
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
  const requests = fc.sample(requestsOf(described, idsFor), { numRuns: REQUESTS, seed });
  const queue = requests.values();
  const counts = new Map<string, number>();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const request of queue) {
        const response = await send(request);
        const key = `${response.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        try {
          check(request.operation.id, response);
        } catch (error) {
          const { operation, path, body } = request;
          console.error(`TEST_SEED=${seed}: ${operation.method} ${path} ${JSON.stringify(body)}`);
          throw error;
        }
      }
    }),
  );
  console.log(`responses by status: ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
  await api.ok("GET", "/agents");
});

/** Whether an operation is destructive. Such operations use separate objects, so that the others remain. */
function isDestructive({ method, path }: DescribedOperation): boolean {
  return method === "DELETE" || /\/(archive|terminate|redact)$/.test(path);
}

function requestsOf(
  described: OpenApiDocument,
  idsFor: (operation: DescribedOperation) => readonly Ids[],
): fc.Arbitrary<GeneratedRequest> {
  const usable = described.operations.filter(
    ({ responses, id }) => responses.get(200) !== null || id === "files.content",
  );
  return fc.oneof(...usable.map((operation) => requestOf(described, operation, idsFor(operation))));
}

function requestOf(
  { document }: OpenApiDocument,
  operation: DescribedOperation,
  idSets: readonly Ids[],
): fc.Arbitrary<GeneratedRequest> {
  const ids = idSets.flatMap((objectIds) => Object.values(objectIds));
  const json = operation.body?.type === "application/json";
  return fc
    .record({
      params: fc.record(
        Object.fromEntries(operation.pathParams.map((name) => [name, pathParam(name, idSets)])),
      ),
      query: fc.record(
        Object.fromEntries(
          operation.query.map(({ name, schema }) => [name, valuesOf(document, schema, ids)]),
        ),
        { requiredKeys: operation.query.filter(({ required }) => required).map(({ name }) => name) },
      ),
      body: json ? valuesOf(document, operation.body?.schema ?? {}, ids) : fc.constant(undefined),
    })
    .map(({ params, query, body }) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(params[name])),
      );
      return { operation, path: path + queryText(query), body };
    });
}

/** Returns values of a path parameter, mostly ids of the right type. */
function pathParam(name: string, idSets: readonly Ids[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...idSets.map((ids) => ids[name] ?? "")) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...Object.values(idSets[0] ?? {}), "x", "%", "...", "a/b", "é\u0000"),
    },
  );
}

function queryText(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [
      name,
      typeof each === "string" ? each : JSON.stringify(each),
    ]),
  );
  const text = new URLSearchParams(pairs as [string, string][]).toString();
  return text === "" ? "" : `?${text}`;
}

async function send({ operation, path, body }: GeneratedRequest): Promise<ApiResponse> {
  return await (operation.isOperators ? operator : api).call(operation.method, path, body);
}

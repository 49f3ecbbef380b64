import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Api, ApiResponse } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { valuesOf } from "./harness/arbitrary.ts";
import { answerChecker } from "./harness/check-answer.ts";
import { type Described, type DescribedOperation, describe } from "./harness/document.ts";
import { absentWorld, makeWorld } from "./harness/world.ts";

/**
 * Requests made from the service's own OpenAPI document, most of them fitting, some with a fault anywhere in them. Every
 * answer must be one that the document has, and look as the document says; after all of them the service still serves.
 */

const REQUESTS = 5_000;
const AT_ONCE = 8;

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
  api = await berth.client();
});
after(() => berth.stop());

/** By the name of the path parameter. */
type Ids = Record<string, string>;

interface Generated {
  operation: DescribedOperation;
  path: string;
  body: unknown;
}

test(`${REQUESTS} generated requests get documented answers`, { timeout: 300_000 }, async () => {
  const described = await describe(berth.url);
  const check = answerChecker(described);
  const other = await berth.client({ user: "other@example.com", org: "other" });
  const lasting = await makeWorld(api, "lasting");
  const doomed = await makeWorld(api, "doomed");
  const others = [(await makeWorld(other, "foreign")).ids, absentWorld(lasting).ids];
  const worldsOf = (operation: DescribedOperation) => {
    const own = ends(operation) ? doomed.ids : lasting.ids;
    return [own, own, own, ...others];
  };
  const seed = Number(process.env.BERTH_TEST_SEED ?? Date.now() % 2 ** 31);
  const requests = fc.sample(requestsOf(described, worldsOf), { numRuns: REQUESTS, seed });
  const queue = requests.values();
  const counts = new Map<string, number>();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const request of queue) {
        const answer = await send(request);
        const key = `${answer.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
        try {
          check(request.operation.id, answer);
        } catch (error) {
          const { operation, path, body } = request;
          console.error(`BERTH_TEST_SEED=${seed}: ${operation.method} ${path} ${JSON.stringify(body)}`);
          throw error;
        }
      }
    }),
  );
  console.log(`answers by status: ${JSON.stringify(Object.fromEntries([...counts].sort()))}`);
  await api.ok("GET", "/agents");
});

/** What ends an object is tried on objects of its own, so that the others last. */
function ends({ method, path }: DescribedOperation): boolean {
  return method === "DELETE" || /\/(archive|terminate|redact)$/.test(path);
}

function requestsOf(
  described: Described,
  worldsOf: (operation: DescribedOperation) => readonly Ids[],
): fc.Arbitrary<Generated> {
  const usable = described.operations.filter(
    ({ answers, id }) => answers.get(200) !== null || id === "files.content",
  );
  return fc.oneof(...usable.map((operation) => requestOf(described, operation, worldsOf(operation))));
}

function requestOf(
  { document }: Described,
  operation: DescribedOperation,
  worlds: readonly Ids[],
): fc.Arbitrary<Generated> {
  const ids = worlds.flatMap((world) => Object.values(world));
  const json = operation.body?.type === "application/json";
  return fc
    .record({
      params: fc.record(
        Object.fromEntries(operation.pathParams.map((name) => [name, pathParam(name, worlds)])),
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

/** Ids of the right kind for the most part. */
function pathParam(name: string, worlds: readonly Ids[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...worlds.map((ids) => ids[name] ?? "")) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...Object.values(worlds[0] ?? {}), "x", "%", "..", "a/b", "é\u0000"),
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

async function send({ operation, path, body }: Generated): Promise<ApiResponse> {
  return await api.call(operation.method, path, body);
}

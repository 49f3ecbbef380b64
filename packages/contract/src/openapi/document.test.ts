import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { z } from "zod";
import { operations } from "../operations/operations.ts";
import type { AnyRoute } from "../operations/route.ts";
import { routes } from "../schemas/routes.ts";
import { openApiDocument } from "./document.ts";

type Json = Record<string, unknown>;
interface OperationObject extends Json {
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: { name: string; in: string; required: boolean }[];
}

const document = openApiDocument() as Json & {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Json> };
};
const all = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Yields every schema in the document with its path. */
function* schemasIn(value: unknown, at = ""): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value) && ("type" in value || "$ref" in value || "anyOf" in value || "oneOf" in value)) {
    yield [at, value as Json];
  }
  for (const [key, child] of Object.entries(value)) yield* schemasIn(child, `${at}/${key}`);
}

test("an operation has `query` exactly when its route has parameters of a query", () => {
  for (const route of Object.values(routes).flatMap((noun) => Object.values(noun)) as AnyRoute[]) {
    const { properties = {} } = z.toJSONSchema(route.query, { io: "input", unrepresentable: "any" });
    assert.equal(route.operation.query === true, Object.keys(properties).length > 0, route.operation.id);
  }
});

describe("the OpenAPI document", () => {
  test("is the committed file", () => {
    const committed = readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8");
    assert.deepEqual(JSON.parse(committed), document, "run 'npm run openapi'");
  });

  test("whatever may hold a secret is not to be stored by caches", () => {
    const holdsSecret = (value: unknown, seen: ReadonlySet<string> = new Set()): boolean => {
      if (typeof value !== "object" || value === null) return false;
      const { $ref, properties } = value as { $ref?: string; properties?: object };
      if ($ref?.endsWith("/ConsoleLink") || $ref?.endsWith("/Preview")) return true;
      const own = Object.keys(properties ?? {});
      if (["token", "secret", "device_code", "environment_variables"].some((name) => own.includes(name)))
        return true;
      if ($ref === undefined) return Object.values(value).some((one) => holdsSecret(one, seen));
      const name = $ref.split("/").at(-1) ?? "";
      return !seen.has(name) && holdsSecret(document.components.schemas[name], new Set([...seen, name]));
    };
    const marked = Object.values(operations)
      .flatMap((noun) => Object.values(noun))
      .filter(({ confidential }) => confidential === true);
    assert.deepEqual(
      marked.map(({ id }) => id).toSorted(),
      all
        .filter(({ operation }) => holdsSecret(operation.responses["200"]))
        .map(({ operation }) => operation.operationId)
        .toSorted(),
    );
  });

  test("has every operation once, and every operation has a route", () => {
    const named = Object.values(operations).flatMap((noun) => Object.values(noun));
    assert.deepEqual(
      all.map(({ operation }) => operation.operationId).toSorted(),
      named.map(({ id }) => id).toSorted(),
    );
    for (const [noun, verbs] of Object.entries(operations)) {
      const built = routes[noun as keyof typeof routes];
      assert.deepEqual(Object.keys(built), Object.keys(verbs));
      for (const id of Object.values(verbs).map((operation) => operation.id))
        assert.ok(id.startsWith(`${noun}.`));
    }
  });

  test("documents the errors, scope and parameters of each operation", () => {
    for (const { path, method, operation } of all) {
      const isOperators = path.startsWith("/api/v1/admin/");
      const isOpen = operation.security !== undefined && !isOperators;
      const isAdmins = isOperators && operation["x-scope"] !== "operator";
      if (isOperators)
        assert.deepEqual(operation.security, [{ operatorToken: [] }, ...(isAdmins ? [{ token: [] }] : [])]);
      for (const status of ["200", "400", ...(isOpen ? [] : ["401"]), "403", "404", "429", "500"]) {
        assert.ok(status in operation.responses, `${method} ${path} lacks ${status}`);
      }
      if (isOpen) assert.deepEqual([operation.security, operation.responses["401"]], [[], undefined]);
      const isAnyTokens = ["whoami.get", "principals.get", "tokens.current", "consoleLinks.create"].includes(
        operation.operationId,
      );
      if (isAdmins) assert.equal(operation["x-scope"], `admin:${method === "get" ? "read" : "write"}`);
      else if (isOpen || isAnyTokens) assert.equal(operation["x-scope"], undefined);
      else if (!isOperators) assert.match(String(operation["x-scope"]), /^[a-z_]+:(read|write)$/);
      assert.ok(typeof operation.summary === "string");
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path");
      assert.deepEqual(
        declared.map(({ name }) => name),
        inPath,
      );
      assert.ok(declared.every(({ required }) => required));
    }
  });

  test("has no dangling references and no fields that are not served", () => {
    for (const [at, schema] of schemasIn(document)) {
      assert.ok(!("notServed" in schema), at);
      const reference = schema.$ref;
      if (typeof reference !== "string" || reference.startsWith("#/components/responses/")) continue;
      const name = reference.replace("#/components/schemas/", "");
      assert.ok(name in document.components.schemas, `${at} refers to ${reference}`);
    }
    const text = JSON.stringify(document);
    for (const later of ["self_hosted", "vault_01", "{field}"]) {
      assert.ok(!text.includes(later), later);
    }
  });

  test("secrets are write-only: no response contains them", () => {
    for (const { operation } of all) {
      const answers = JSON.stringify(operation.responses);
      for (const secret of ["authorization_token", '"password"']) assert.ok(!answers.includes(secret));
    }
    const schemas = JSON.stringify(document.components.schemas);
    for (const secret of ["authorization_token", '"password"']) assert.ok(!schemas.includes(secret));
  });
});

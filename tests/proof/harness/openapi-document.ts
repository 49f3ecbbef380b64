import assert from "node:assert/strict";
import type { AnyJson } from "../../acceptance/harness/api.ts";

export type Schema = Record<string, AnyJson>;

/** An operation in the service's OpenAPI document. */
export interface DescribedOperation {
  id: string;
  method: string;
  /** The path, with `{name}` for parameters. */
  path: string;
  scope: string | null;
  /** The access to the object of the path that it needs; null without an object. */
  access: "read" | "write" | "own" | null;
  /** Whether it needs no token. */
  isOpen: boolean;
  /** Whether it administers, and so accepts operator tokens. */
  isOperators: boolean;
  /** Whether it accepts the token of an organization's admin as well. */
  isAdmins: boolean;
  pathParams: string[];
  query: { name: string; required: boolean; schema: Schema }[];
  /** The media type and schema of the body; null without one. */
  body: { type: string; schema: Schema } | null;
  /** The schema of each documented response by status; null for responses that are not JSON. */
  responses: Map<number, Schema | null>;
}

export interface OpenApiDocument {
  operations: DescribedOperation[];
  /** The whole document, to resolve references. */
  document: Schema;
}

/** Reads the `/openapi.json` of a running service. */
export async function readOpenApiDocument(url: string): Promise<OpenApiDocument> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Schema;
  const operations = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        describedOperation(document, path, method, operation),
      ),
  );
  assert.ok(operations.length > 20, "the document has operations");
  return { operations, document };
}

function describedOperation(
  document: Schema,
  path: string,
  method: string,
  operation: Schema,
): DescribedOperation {
  const parameters: Schema[] = operation.parameters ?? [];
  const [body] = Object.entries((operation.requestBody?.content ?? {}) as Record<string, Schema>);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    scope: operation["x-scope"] ?? null,
    access: operation["x-access"] ?? null,
    isOpen: operation.security?.length === 0,
    isOperators: operation.security?.[0]?.operatorToken !== undefined,
    isAdmins: operation.security?.[1]?.token !== undefined,
    pathParams: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
    query: parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name, required, schema }) => ({ name, required, schema })),
    body: body === undefined ? null : { type: body[0], schema: body[1].schema },
    responses: new Map(
      Object.entries(operation.responses as Record<string, Schema>).map(([status, response]) => [
        Number(status),
        responseSchema(document, response),
      ]),
    ),
  };
}

function responseSchema(document: Schema, response: Schema): Schema | null {
  const resolved = response.$ref === undefined ? response : resolve(document, response.$ref);
  return resolved.content?.["application/json"]?.schema ?? null;
}

/** Returns the target of a `$ref`. */
export function resolve(document: Schema, reference: string): Schema {
  const steps = reference.replace(/^#\//, "").split("/");
  return steps.reduce<AnyJson>((part, step) => part[step], document);
}

/** Returns the path of an operation with its parameters filled in. */
export function address(operation: DescribedOperation, ids: Record<string, string>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    assert.ok(id !== undefined, `no id for {${name}} of ${operation.id}`);
    return encodeURIComponent(id);
  });
}

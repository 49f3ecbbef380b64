import assert from "node:assert/strict";
import type { AnyJson } from "../../acceptance/harness/api.ts";

export type Schema = Record<string, AnyJson>;

/** An operation as the service's own document describes it. */
export interface DescribedOperation {
  id: string;
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  scope: string | null;
  pathParams: string[];
  query: { name: string; required: boolean; schema: Schema }[];
  /** What the body is: its media type and schema; null when there is none. */
  body: { type: string; schema: Schema } | null;
  /** By status: the schema of each documented JSON answer, null for answers that are not JSON. */
  answers: Map<number, Schema | null>;
}

export interface Described {
  operations: DescribedOperation[];
  /** The whole document, for whoever resolves references. */
  document: Schema;
}

/** Every operation of a running service, from its `/openapi.json`. */
export async function describe(url: string): Promise<Described> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Schema;
  const operations = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        describedOperation(document, path, method, operation),
      ),
  );
  assert.ok(operations.length > 20, "the document lists the operations");
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
    pathParams: parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
    query: parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name, required, schema }) => ({ name, required, schema })),
    body: body === undefined ? null : { type: body[0], schema: body[1].schema },
    answers: new Map(
      Object.entries(operation.responses as Record<string, Schema>).map(([status, response]) => [
        Number(status),
        answerSchema(document, response),
      ]),
    ),
  };
}

function answerSchema(document: Schema, response: Schema): Schema | null {
  const resolved = response.$ref === undefined ? response : resolve(document, response.$ref);
  return resolved.content?.["application/json"]?.schema ?? null;
}

/** What a reference of the document points at. */
export function resolve(document: Schema, reference: string): Schema {
  const steps = reference.replace(/^#\//, "").split("/");
  return steps.reduce<AnyJson>((part, step) => part[step], document);
}

/** The address of an operation with its parameters filled in. */
export function address(operation: DescribedOperation, ids: Record<string, string>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    assert.ok(id !== undefined, `nothing is known to stand for {${name}} of ${operation.id}`);
    return encodeURIComponent(id);
  });
}

import { z } from "zod";
import { errorEnvelope } from "../conventions/errors.ts";
import { examples } from "../operations/examples.ts";
import type { Operation } from "../operations/operation.ts";
import type { AnyRoute } from "../operations/route.ts";
import { routes } from "../schemas/routes.ts";
import { codeSamples } from "./code-samples.ts";
import { headerParameters, responseHeaders, takesKey } from "./headers.ts";
import { introduction } from "./introduction.ts";

type Json = Record<string, unknown>;

const STATUS_NAMES: Record<number, string> = {
  400: "InvalidRequest",
  401: "Unauthenticated",
  403: "Forbidden",
  404: "NotFound",
  429: "LimitReached",
  500: "Failure",
};

const STATUS_DESCRIPTIONS: Record<string, string> = {
  InvalidRequest: "The request is not valid. `error.param` names the invalid field.",
  Unauthenticated: "The bearer token is missing, malformed, unknown, expired or revoked.",
  Forbidden:
    "The token has no scope for the operation or no access to the object, or the object is archived.",
  NotFound: "An object that the request names does not exist.",
  LimitReached:
    "A limit of the organization or of the user is reached. With `retry-after`, the same request may succeed after that many seconds.",
  Failure: "The service failed. Retry with exponential backoff.",
  FeatureNotAvailable:
    "The request uses a beta feature without activating it. Send `error.available_from` in the header `berth-beta`.",
};

const KEY_CONFLICT = {
  type: "conflict_error",
  when: "The `Idempotency-Key` was used with another request, or its first request is still in progress.",
};

/** Builds the OpenAPI 3.1 document of every route, without the fields that are not served. */
export function openApiDocument(): Json {
  const schemas: Json = {};
  const all = Object.values(routes).flatMap((noun) => Object.values(noun)) as AnyRoute[];
  const paths: Record<string, Json> = {};
  for (const route of all) {
    const { path, method } = route.operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(route, schemas) };
  }
  const responses = Object.keys(STATUS_DESCRIPTIONS).map((name) => [name, errorResponse(name, schemas)]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Berth",
      version: "1",
      description: introduction,
      summary: "Self-hosted coding agents in sandboxed sessions.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: Object.keys(routes).map((name) => ({ name, "x-displayName": titleOf(name) })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A personal access token (`berth_pat_…`) or a service account token (`berth_sat_…`).",
        },
        operatorToken: {
          type: "http",
          scheme: "bearer",
          description:
            "An operator token (`berth_operator_…`). It is accepted under `/api/v1/admin` alone, for every organization. Operations that also name the scheme `token` accept an admin's, for the admin's organization.",
        },
      },
      responses: Object.fromEntries(responses),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

const OWN_TOKEN = "A token needs no scope to name itself.";

/** Returns the title of a noun: "Vault credentials" for `vaultCredentials`. */
function titleOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function operationObject(route: AnyRoute, schemas: Json): Json {
  const { operation } = route;
  const description = [operation.description, operation.ownToken && OWN_TOKEN].filter(Boolean).join(" ");
  const parameters = [
    ...parametersOf(route.params, "path", schemas),
    ...parametersOf(route.query, "query", schemas),
    ...headerParameters(operation),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description === "" ? {} : { description }),
    tags: [operation.id.split(".")[0]],
    ...(operation.scope === null ? {} : { "x-scope": operation.scope }),
    ...(operation.path.includes("{") && operation.credential === undefined
      ? { "x-access": operation.access }
      : {}),
    ...securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === "none" ? {} : { requestBody: requestBody(route, schemas) }),
    "x-codeSamples": codeSamples(operation),
    responses: {
      200: {
        description: "Success.",
        ...responseHeaders(operation),
        content: responseContent(route, schemas),
      },
      ...(operation.created === undefined
        ? {}
        : { 201: { description: operation.created, content: responseContent(route, schemas) } }),
      ...Object.fromEntries(
        Object.entries(STATUS_NAMES)
          .filter(([status]) => operation.credential !== "none" || status !== "401")
          .map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
      ...conflictResponses(operation, schemas),
      ...(operation.features === undefined
        ? {}
        : { 501: { $ref: "#/components/responses/FeatureNotAvailable" } }),
    },
  };
}

/** Returns the security of an operation that takes another credential than most. */
function securityOf({ credential }: Operation): Json {
  if (credential === "none") return { security: [] };
  if (credential === "operator") return { security: [{ operatorToken: [] }] };
  return credential === "admin" ? { security: [{ operatorToken: [] }, { token: [] }] } : {};
}

function parametersOf(schema: z.ZodType, place: "path" | "query", schemas: Json): Json[] {
  const { properties = {}, required = [] } = jsonSchema(schema, "input", schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

function requestBody(route: AnyRoute, schemas: Json): Json {
  const types = { json: "application/json", multipart: "multipart/form-data", bytes: "*/*", none: "" };
  const example = examples[route.operation.id]?.body;
  const body = {
    [types[route.operation.body]]: {
      schema: jsonSchema(route.body, "input", schemas),
      ...(example === undefined ? {} : { example }),
    },
  };
  const json =
    route.jsonBody === undefined
      ? {}
      : { "application/json": { schema: jsonSchema(route.jsonBody, "input", schemas) } };
  return { required: route.operation.body !== "bytes", content: { ...body, ...json } };
}

function responseContent({ operation, response }: AnyRoute, schemas: Json): Json {
  const types = {
    object: "application/json",
    page: "application/json",
    stream: "text/event-stream",
    bytes: "application/octet-stream",
  };
  return { [types[operation.responseKind]]: { schema: jsonSchema(response, "output", schemas) } };
}

function conflictResponses({ conflicts, ...operation }: Operation, schemas: Json): Json {
  const keyed = takesKey(operation) ? [KEY_CONFLICT] : [];
  const all = [...conflicts, ...keyed].map(({ type, when }) => `\`${type}\`: ${when}`);
  if (all.length === 0) return {};
  const description = all.join(" ");
  return { 409: { description, content: errorContent(schemas) } };
}

function errorResponse(name: string, schemas: Json): Json {
  return { description: STATUS_DESCRIPTIONS[name], content: errorContent(schemas) };
}

function errorContent(schemas: Json): Json {
  return { "application/json": { schema: jsonSchema(errorEnvelope, "output", schemas) } };
}

/** Converts a schema to JSON Schema and moves its named parts to the document's components. */
function jsonSchema(schema: z.ZodType, io: "input" | "output", schemas: Json): Json {
  const made = z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "any" }) as Json;
  const { $schema: _dialect, $defs: named = {}, ...rest } = served(made) as Json & { $defs?: Json };
  for (const [name, part] of Object.entries(named)) addComponent(schemas, name, part as Json);
  const own = rest.id;
  if (typeof own !== "string" || !("type" in rest || "oneOf" in rest)) return rest;
  addComponent(schemas, own, rest);
  return { $ref: `#/components/schemas/${own}` };
}

function addComponent(schemas: Json, name: string, { id: _id, ...schema }: Json): void {
  const known = schemas[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two schemas have the id ${name}.`);
  }
  schemas[name] = schema;
}

/** Removes fields that are not served and patterns that a format implies, and redirects references. */
function served(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(served);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      if (key === "pattern" && (value as Json).format === "date-time") return [];
      if (key === "properties") return [[key, servedProperties(child as Record<string, Json>)]];
      if (key === "$ref") return [[key, String(child).replace("#/$defs/", "#/components/schemas/")]];
      return [[key, served(child)]];
    }),
  );
}

function servedProperties(properties: Record<string, Json>): Json {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, property]) => property.notServed !== true)
      .map(([name, property]) => [name, served(property)]),
  );
}

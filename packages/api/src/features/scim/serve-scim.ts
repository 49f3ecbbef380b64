import type { Operation } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess } from "@berth/store/db";
import { type ApiError, errors } from "@berth/store/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { noteError, notePrincipal, requestFields } from "../../http/access-log.ts";
import { authenticateScim } from "../../http/authenticate.ts";
import { checkDryRun } from "../../http/dry-run.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { parseJson } from "../../http/parse-json.ts";
import { parseQuery } from "../../http/parse-query.ts";
import { readBody } from "../../http/read-body.ts";
import { mediaType } from "../../http/read-input.ts";
import { toApiError } from "../../http/render-error.ts";
import { admitBody, scopeOf } from "../../http/serve-route.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import type { QueryParameters } from "./protocol/list-query.ts";
import { ScimError, scimErrorBody } from "./protocol/scim-error.ts";

export const SCIM_PATH = "/scim/v2";
const MEDIA_TYPE = "application/scim+json";

/** A request of SCIM, as its handler sees it. */
export interface ScimRequest {
  /** The uuid of the token's organization. */
  organizationId: string;
  /** URL of SCIM, with which the addresses of resources begin. */
  base: string;
  query: QueryParameters;
  /** The resource's id in the path; empty without one. */
  id: string;
  /** The parsed body; undefined for GET and DELETE. */
  body: unknown;
  db: DatabaseAccess;
}

export interface ScimResponse {
  status: 200 | 201 | 204;
  body?: object;
  /** Address of a created resource. */
  location?: string;
  /** Id of the created object. */
  id?: string;
  /** Ids of the other users whose role changed. */
  alsoChanged?: readonly string[];
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ScimRoute {
  method: Method;
  /** Below `/scim/v2`. */
  url: string;
  /** Name in the audit log, the access log and metrics. */
  name: string;
  handle: (request: ScimRequest) => Promise<ScimResponse>;
}

/**
 * Mounts the routes of SCIM. Their requests have the same checks and limits as others, and a request that
 * changes something is one transaction with its audit entry. Errors have the shape of SCIM.
 */
export function mountScimRoutes(app: HttpApp, routes: readonly ScimRoute[]): void {
  const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    respondWithError(toApiError(error, app.log, requestFields(request)), request, reply);
  app.fastify.register(
    async (scim: FastifyInstance) => {
      scim.setErrorHandler((error, request, reply) => sendError(error, request, reply));
      scim.setNotFoundHandler((request, reply) => {
        const path = request.raw.url?.split("?")[0] ?? "";
        sendError(errors.unknownPath(request.method, path), request, reply);
      });
      for (const route of routes) mountRoute(app, scim, route);
    },
    { prefix: SCIM_PATH },
  );
}

function respondWithError(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  noteError(request, error);
  reply.code(error.status).headers(error.headers).header("content-type", `${MEDIA_TYPE}; charset=utf-8`);
  reply.send(JSON.stringify(scimErrorBody(error)));
}

function mountRoute(app: HttpApp, scim: FastifyInstance, { method, url, name, handle }: ScimRoute): void {
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  const isList = method === "GET" && !url.endsWith("/:id");
  const operation: Operation = {
    ...{ id: name, path: SCIM_PATH + url, body: hasBody ? "json" : "none" },
    // Methods of operations are those of the contract; this one is only read as text.
    method: method as Operation["method"],
    ...{ summary: name, scope: "scim", access: "own", conflicts: [], confidential: true },
    responseKind: isList ? "page" : "object",
  };
  const admitted = new WeakMap<FastifyRequest, Principal>();
  scim.route({
    method,
    url,
    config: { operation: name },
    onRequest: async (request) => {
      const principal = await authenticateScim(request.raw, app);
      notePrincipal(request, principal);
      await app.limits.takeRequest(principal);
      admitted.set(request, principal);
      admitBody(app, operation, request);
    },
    handler: async (request, reply) => {
      const principal = admitted.get(request);
      if (principal === undefined) throw new Error("A request was not authenticated.");
      const scope = scopeOf(app, operation, request, principal);
      checkDryRun(scope);
      return await app.heavyRequests.run(principal.id, operation, request, reply, async () => {
        const asked = {
          organizationId: principal.organizationId,
          base: `${scope.address() ?? ""}${SCIM_PATH}`,
          query: parseQuery(request.raw.url ?? ""),
          id: (request.params as { id?: string }).id ?? "",
          body: hasBody ? await readScimBody(app, request) : undefined,
        };
        const response =
          method === "GET"
            ? await handle({ ...asked, db: app.db })
            : await changed(app, scope, (db) => handle({ ...asked, db }));
        // Whoever lost rights loses them from this process's next request on.
        if (method !== "GET") app.recentTokens.clear();
        return sendResponse(reply, response);
      });
    },
  });
}

/** Runs the handler of a request that changes something, and appends its audit entry, in one transaction. */
async function changed(
  { db }: HttpApp,
  scope: RequestScope,
  handle: (db: DatabaseAccess) => Promise<ScimResponse>,
): Promise<ScimResponse> {
  return await db.transaction((tx) =>
    asDatabase(tx, async (whole) => {
      const response = await handle(whole);
      const entry = scope.auditEntry(response.id);
      const resources = new Set([...entry.resources, ...(response.alsoChanged ?? [])]);
      await appendAuditEntry(whole.write, { ...entry, resources: [...resources] });
      return response;
    }),
  );
}

/** @throws ScimError invalidSyntax for a body that is missing. */
async function readScimBody({ jsonLimit }: HttpApp, request: FastifyRequest): Promise<unknown> {
  const type = mediaType(request);
  if (type !== MEDIA_TYPE && type !== "application/json")
    throw errors.badContentType(MEDIA_TYPE, "application/json");
  const bytes = await readBody(request.raw, { limit: jsonLimit });
  if (bytes.length === 0) throw new ScimError("invalidSyntax", "The request requires a JSON body.");
  return parseJson(bytes);
}

function sendResponse(reply: FastifyReply, { status, body, location }: ScimResponse): FastifyReply {
  reply.code(status).header("cache-control", "no-store");
  if (location !== undefined) reply.header("location", location);
  if (body === undefined) return reply.send();
  return reply.header("content-type", `${MEDIA_TYPE}; charset=utf-8`).send(JSON.stringify(body));
}

import type { BetaFeature } from "../conventions/beta.ts";
import type { ErrorType } from "../conventions/errors.ts";

/** An operation of the API without its schemas: the part that a client needs at run time. */
export interface Operation {
  /** `<nouns>.<verb>`, which is also the name of the SDK's method. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the server's address, with `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** What the summary does not say, in sentences. */
  readonly description?: string;
  /** The scope that a token needs, or null if any valid token is accepted. */
  readonly scope: string | null;
  /** Set when a token needs no scope for a path that names this token itself. */
  readonly ownToken?: true;
  /**
   * `pat`: only a user's token is accepted, and authentication errors have a `code`. `operator`: only an
   * operator token is accepted. `admin`: an operator token, or a token of an admin, for what belongs to the
   * admin's organization. Operator tokens are valid for nothing else. `none`: no token is needed or read,
   * and an `Idempotency-Key` is ignored. Absent: any token of an organization.
   */
  readonly credential?: "pat" | "operator" | "admin" | "none";
  /**
   * The access to the object of the path that a caller needs: `read` and `write` can be shared, `own` have its
   * owner and admins alone. Default: `read` for what only reads, else `own`.
   */
  readonly access: Access;
  /**
   * Set for what changes nothing that others see, so it has no entry in the audit log: a POST because its
   * parameters must not be in a URL, or a mark of the caller alone.
   */
  readonly readOnly?: true;
  /** `page` is one page of a list, `stream` server-sent events, `bytes` the content of a file. */
  readonly responseKind: "object" | "page" | "stream" | "bytes";
  /** Set when the list is returned in one page, without `limit` and cursors. */
  readonly unpaginated?: true;
  /** Set when the operation has a query, which every list has. */
  readonly query?: true;
  /** `multipart` is a form, or JSON if the route has a `jsonBody`; `bytes` are of any media type. */
  readonly body: "none" | "json" | "multipart" | "bytes";
  /** Set when a request with the header `berth-dry-run` is checked and answered without changing anything. */
  readonly dryRun?: true;
  /** Set when the response may contain secrets, a new token or variables: no cache may store it. */
  readonly confidential?: true;
  /** The condition for status 201 instead of 200. Absent: never. */
  readonly created?: string;
  /** Errors besides those of every operation (400, 401, 403, 404, 429, 500). */
  readonly conflicts: readonly Conflict[];
  /** Beta features that a request may activate by its header. */
  readonly features?: readonly BetaFeature[];
}

export type Access = "read" | "write" | "own";

interface Conflict {
  readonly status: 409;
  readonly type: ErrorType;
  /** The condition, as one sentence. */
  readonly when: string;
}

/** An operation to which `noun` has not yet given an id. */
type Unnamed = Omit<Operation, "id">;

type Options = Partial<Omit<Unnamed, "method" | "path" | "summary">> & {
  /** Prefix of the path. Default: `/api/v1/cloud`. */
  base?: string;
};

/** Returns whether a call sends nothing but JSON and gets one response, as opposed to uploads and streams. */
export function isPlain({ body, responseKind }: Operation): boolean {
  return (body === "none" || body === "json") && responseKind !== "stream";
}

/** Returns whether an operation administers, so that it takes operator tokens. */
export function isAdministration({ credential }: Pick<Operation, "credential">): boolean {
  return credential === "operator" || credential === "admin";
}

export const HAS_QUERY = { query: true } as const;

/** For operations that are also for those with whom an object is shared for writing. */
export const FOR_WRITERS = { access: "write" } as const;

/** Names the operations of a noun: `agents` and `create` give `agents.create`. */
export function noun<Verb extends string>(
  name: string,
  verbs: Record<Verb, Unnamed>,
): Readonly<Record<Verb, Operation>> {
  const entries = Object.entries<Unnamed>(verbs);
  const named = entries.map(([verb, operation]) => [verb, { id: `${name}.${verb}`, ...operation }]);
  return Object.fromEntries(named);
}

/** Defines an operation that reads one object. The scope is `<noun>:read`. */
export function get(path: string, summary: string, options: Options = {}): Unnamed {
  return operation("GET", path, summary, "read", options);
}

/** Defines an operation that reads a list, page by page. The scope is `<noun>:read`. */
export function list(path: string, summary: string, options: Options = {}): Unnamed {
  return get(path, summary, { responseKind: "page", ...HAS_QUERY, ...options });
}

/** Defines an operation that creates or changes an object. The body is JSON; the scope is `<noun>:write`. */
export function post(path: string, summary: string, options: Options = {}): Unnamed {
  return operation("POST", path, summary, "write", { body: "json", ...options });
}

/** Defines an operation that acts on an object, without a body. The scope is `<noun>:write`. */
export function act(path: string, summary: string, options: Options = {}): Unnamed {
  return post(path, summary, { body: "none", ...options });
}

/** Defines an operation that sends a file's content. The scope is `<noun>:write`. */
export function put(path: string, summary: string, options: Options = {}): Unnamed {
  return operation("PUT", path, summary, "write", { body: "bytes", ...options });
}

/** Defines an operation that deletes an object. The scope is `<noun>:write`. */
export function remove(path: string, summary: string, options: Options = {}): Unnamed {
  return operation("DELETE", path, summary, "write", options);
}

/** Options of the operations of `crud`; those of `all` apply to all but `delete`. */
interface CrudOptions
  extends Partial<Record<"create" | "list" | "get" | "update" | "delete", Options & { summary?: string }>> {
  all?: Options;
}

/**
 * Defines the operations of objects that clients create, list, read, update and delete: at `path` those of an
 * object, and above it those of all. `object` names one of them, such as `an agent`.
 */
export function crud(path: string, object: string, { all, ...each }: CrudOptions) {
  const above = path.slice(0, path.lastIndexOf("/"));
  const objects = `${object.replace(/^an? /, "")}s`;
  return {
    create: post(above, `Create ${object}`, { ...all, ...each.create }),
    list: list(above, `List ${objects}`, { ...all, ...each.list }),
    get: get(path, `Get ${object}`, { ...all, ...each.get }),
    update: post(path, `Update ${object}`, { ...all, ...each.update }),
    delete: remove(path, `Delete ${object}`, { ...each.delete }),
  };
}

/**
 * Defines the operations by which an owner shares an object: at `path`, which ends with its id. `object` names
 * one, such as `an agent`.
 */
export function sharing(path: string, object: string) {
  return {
    share: post(`${path}/share`, `Share ${object} with a user or the organization`, {
      description: "Replaces what was shared with them before.",
    }),
    unshare: remove(`${path}/share`, `Stop sharing ${object}`, HAS_QUERY),
    shares: get(`${path}/shares`, `Get with whom ${object} is shared`),
  };
}

/** Defines errors with status 409, one for each condition. */
export function conflicts(...conditions: string[]): { conflicts: Conflict[] } {
  return { conflicts: conditions.map((when) => ({ status: 409, type: "conflict_error", when })) };
}

function operation(
  method: Operation["method"],
  path: string,
  summary: string,
  verb: "read" | "write",
  { base = "/api/v1/cloud", ...options }: Options & { summary?: string },
): Unnamed {
  return {
    method,
    path: base + path,
    summary,
    scope: `${path.split("/")[1]}:${verb}`,
    access: verb === "read" || options.readOnly ? "read" : "own",
    responseKind: "object",
    body: "none",
    conflicts: [],
    ...options,
  };
}

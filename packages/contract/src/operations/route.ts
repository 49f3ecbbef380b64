import { z } from "zod";
import { deletedObject } from "../conventions/fields.ts";
import type { IdKind } from "../conventions/ids.ts";
import { flag, listQuery, pageOf } from "../conventions/page.ts";
import { sharedWithMe } from "../conventions/sharing.ts";
import type { Operation } from "./operation.ts";

/** An operation with its schemas. */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly operation: Operation;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The JSON that a route with a form also accepts. */
  readonly jsonBody?: z.ZodType;
  readonly response: Response;
}

export type AnyRoute = Route<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

const empty = z.strictObject({});
type Empty = typeof empty;

/** The body of an action: absent, null or an empty object. */
const emptyBody = empty.nullish().transform(() => undefined);
type NoBody = z.ZodType<undefined>;

/**
 * Joins an operation with its schemas. Without `params` or `query` it accepts none; without `body`, only a
 * POST accepts one, and it must be empty. The schema of the response documents and types it; it does not
 * filter fields.
 */
export function defineRoute<
  Res extends z.ZodType,
  P extends z.ZodType = Empty,
  Q extends z.ZodType = Empty,
  B extends z.ZodType = NoBody,
>(
  operation: Operation,
  schemas: { params?: P; query?: Q; body?: B; jsonBody?: z.ZodType; response: Res },
): Route<P, Q, B, Res> {
  const body = operation.method === "POST" ? emptyBody : z.undefined();
  return { operation, params: empty, query: empty, body, ...schemas } as unknown as Route<P, Q, B, Res>;
}

interface Schemas<Kind, Object, Params, Within, Create, Update, List> {
  /** Kind of the ids of the objects. */
  kind: Kind;
  object: Object;
  /** Parameters of the path of one object. */
  params: Params;
  /** Parameters of the path of the list, if the objects belong to another one. */
  within?: Within;
  create: Create;
  update: Update;
  /** Query of the list. Default: that of objects that can be archived. */
  list?: List;
}

type Verb = "create" | "list" | "get" | "update" | "delete";
const archivable = <Kind extends IdKind>(kind: Kind) =>
  listQuery(kind, { include_archived: flag, shared_with_me: sharedWithMe });

/** Returns the routes of objects that clients create, list, read, update and delete. */
export function crud<
  Kind extends IdKind,
  Object extends z.ZodType,
  Params extends z.ZodType,
  Create extends z.ZodType,
  Update extends z.ZodType,
  Within extends z.ZodType = Empty,
  List extends z.ZodType = ReturnType<typeof archivable<Kind>>,
>(
  operations: Readonly<Record<Verb, Operation>>,
  schemas: Schemas<Kind, Object, Params, Within, Create, Update, List>,
) {
  const { kind, object: response, params } = schemas;
  const within = (schemas.within ?? empty) as Within;
  const query = (schemas.list ?? archivable(kind)) as List;
  return {
    create: defineRoute(operations.create, { params: within, body: schemas.create, response }),
    list: defineRoute(operations.list, { params: within, query, response: pageOf(response) }),
    get: defineRoute(operations.get, { params, response }),
    update: defineRoute(operations.update, { params, body: schemas.update, response }),
    delete: defineRoute(operations.delete, { params, response: deletedObject(kind) }),
  };
}

/** The parsed parts of a request that a handler receives. */
export interface Input<R extends AnyRoute> {
  params: z.output<R["params"]>;
  query: z.output<R["query"]>;
  body: z.output<R["body"]>;
}

export type ResponseOf<R extends AnyRoute> = z.output<R["response"]>;
/** The body or query as a caller writes it. */
export type BodyOf<R extends AnyRoute> = z.input<R["body"]>;
export type QueryOf<R extends AnyRoute> = z.input<R["query"]>;

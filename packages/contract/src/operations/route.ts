import { z } from "zod";
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

import type { z } from "zod";
import type { BetaFeature } from "../conventions/beta.ts";
import type { ErrorType } from "../conventions/errors.ts";

/** What can be said of an operation without its schemas: what a client needs at run time. */
export interface Operation {
  /** `<nouns>.<verb>`, the same name as the method of the SDK. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for parameters, below the base address. */
  readonly path: string;
  readonly summary: string;
  /** The token's scope that covers it; null for what every valid token may do. */
  readonly scope: string | null;
  /** `pat`: no token but a user's; refusals to authenticate have a `code`. Absent: every token. */
  readonly credential?: "pat";
  /** `page` answers follow `next_page`; `stream` is server-sent events; `bytes` is a file's content. */
  readonly answers: "object" | "page" | "stream" | "bytes";
  /** The list comes in one page, and takes neither limit nor cursor. Absent: it does. */
  readonly whole?: true;
  /** `multipart` is a form, and JSON where the route has a `jsonBody`; `bytes` are taken as they are, whatever their type. */
  readonly body: "none" | "json" | "multipart" | "bytes";
  /** When the answer is 201 instead of 200; absent: never. */
  readonly created?: string;
  /** Refusals beside those that every operation has (400, 401, 403, 404, 500). */
  readonly conflicts: readonly { readonly status: 409; readonly type: ErrorType; readonly when: string }[];
  /** Features that a request may use only when its header asks for them. */
  readonly features?: readonly BetaFeature[];
}

export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly operation: Operation;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** What a route whose body is a form takes as JSON instead. */
  readonly jsonBody?: z.ZodType;
  readonly answer: Answer;
}

export type AnyRoute = Route<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** Joins an operation with its schemas; the answer's schema documents and types, it does not filter. */
export function defineRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
>(
  operation: Operation,
  schemas: { params: P; query: Q; body: B; jsonBody?: z.ZodType; answer: A },
): Route<P, Q, B, A> {
  return { operation, ...schemas };
}

/** What a handler gets: every part parsed. */
export interface Input<R extends AnyRoute> {
  params: z.output<R["params"]>;
  query: z.output<R["query"]>;
  body: z.output<R["body"]>;
}

export type Answer<R extends AnyRoute> = z.output<R["answer"]>;
/** What a caller writes as body or query. */
export type BodyOf<R extends AnyRoute> = z.input<R["body"]>;
export type QueryOf<R extends AnyRoute> = z.input<R["query"]>;

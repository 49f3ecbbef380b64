import type { AnyRoute, BodyOf, QueryOf } from "@berth/contract";

/** A body as a caller writes it, without the fields that this version of Berth does not accept. */
export type Body<R extends AnyRoute> = Served<BodyOf<R>>;

/** Removes fields that the contract types as `unknown`: those are not accepted. */
type Served<T> = T extends readonly (infer Item)[]
  ? Served<Item>[]
  : T extends object
    ? { [Key in keyof T as unknown extends T[Key] ? never : Key]: Served<T[Key]> }
    : T;

/**
 * A query as a caller writes it: `limit` as a number, flags as booleans, `statuses` for `statuses[]`, and
 * `created_at: { gte: date }` for `created_at[gte]`.
 */
export type Query<R extends AnyRoute> = Plain<QueryOf<R>> & Bounds<QueryOf<R>>;

type Plain<Q> = {
  [Key in keyof Q as NameOf<Key>]?: Key extends "limit" | "max_age" ? number | undefined : ValueOf<Q[Key]>;
};

type NameOf<Key> = Key extends `${string}_at[${string}]` ? never : Key extends `${infer Name}[]` ? Name : Key;

type ValueOf<Value> = [Exclude<Value, undefined>] extends ["true" | "false"]
  ? boolean | undefined
  : Value | undefined;

type Bounds<Q> = { [Key in TimeOf<keyof Q>]?: BoundsOf<Q, Key> | undefined };

type TimeOf<Key> = Key extends `${infer Name}[${"gt" | "gte" | "lt" | "lte"}]` ? Name : never;

type BoundsOf<Q, Name extends string> = {
  [Key in keyof Q as Key extends `${Name}[${infer Bound}]` ? Bound : never]?: Date | string | undefined;
};

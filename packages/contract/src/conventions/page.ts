import { z } from "zod";
import { idOf, timestamp } from "./fields.ts";
import type { IdKind } from "./ids.ts";

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** `limit` of a query: a decimal integer from 1 to 100. Default 20. */
const limit = z
  .string()
  .optional()
  .transform((value, context) => {
    if (value === undefined) return DEFAULT_PAGE_SIZE;
    const size = /^[0-9]+$/.test(value) ? Number(value) : 0;
    const message =
      size < 1
        ? "Field 'limit' must be a positive integer."
        : size > MAX_PAGE_SIZE
          ? "limit exceeds maximum of 100"
          : null;
    if (message === null) return size;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
    description: `The maximum number of objects in a page. Default ${DEFAULT_PAGE_SIZE}.`,
  });

/** A bound of a list on a time, in milliseconds since 1970 once parsed. */
export const timeBound = timestamp.transform((value) => Date.parse(value)).optional();

/** Returns the bounds of a list on `created_at`. Pass `description` if they apply to another time. */
export function createdAtBounds(description?: string) {
  const field = description === undefined ? timeBound : timeBound.meta({ description });
  return {
    "created_at[gt]": field,
    "created_at[gte]": field,
    "created_at[lt]": field,
    "created_at[lte]": field,
  };
}

/** A boolean of a query: `true` or `false`. Default false. */
export const flag = z
  .enum(["true", "false"])
  .optional()
  .transform((value) => value === "true");

/** The parameters of every list. */
export const pageQuery = {
  limit,
  page: z
    .string()
    .max(2048)
    .optional()
    .meta({ description: "The `next_page` of an earlier response, unchanged." }),
};

/**
 * Returns a schema for the query of a list of `kind`: `limit`, the three cursors, of which at most one may be
 * given, the bounds on `created_at`, and the list's own `filters`.
 */
export function listQuery<Filters extends z.ZodRawShape>(kind: IdKind, filters: Filters) {
  return z
    .strictObject({
      ...pageQuery,
      before_id: idOf(kind)
        .optional()
        .meta({ description: "Return the objects directly before this id in the list." }),
      after_id: idOf(kind).optional().meta({ description: "Return the objects after this id in the list." }),
      ...createdAtBounds(),
      ...filters,
    })
    .superRefine((query, context) => {
      const { page, before_id, after_id } = query as { page?: string; before_id?: string; after_id?: string };
      const given = Object.entries({ page, before_id, after_id }).filter(([, value]) => value !== undefined);
      if (given.length < 2) return;
      const message = "Only one of 'page', 'before_id' and 'after_id' may be given.";
      context.addIssue({ code: "custom", path: [given[1]?.[0] ?? "page"], message });
    });
}

/** Returns a schema for one page of a list. `next_page` is non-null exactly when `has_more` is true. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    data: z.array(item),
    next_page: z.string().nullable(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

export interface Page<Item> {
  data: Item[];
  next_page: string | null;
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

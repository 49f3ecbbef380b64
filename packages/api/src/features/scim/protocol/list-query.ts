import type { ResourceSchema } from "./attributes.ts";
import { type BoundFilter, bindFilter } from "./bind-filter.ts";
import { parseFilter } from "./parse-filter.ts";
import { type Projection, projectionOf } from "./project.ts";
import { ScimError } from "./scim-error.ts";

const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const DEFAULT_COUNT = 100;
export const MAX_COUNT = 200;

/** A query of a list (RFC 7644, section 3.4.2). Parameters that are not in it, such as `sortBy`, are ignored. */
export interface ListQuery {
  filter: BoundFilter | null;
  /** From 1. */
  startIndex: number;
  /** Maximum number of resources: 100 unless the request says otherwise, and never over 200. */
  count: number;
  projection: Projection;
}

export type QueryParameters = Readonly<Record<string, string | string[]>>;

/** @throws ScimError invalidFilter, invalidValue */
export function readListQuery(parameters: QueryParameters, schema: ResourceSchema): ListQuery {
  const filter = textOf(parameters, "filter");
  return {
    filter: filter === undefined || filter === "" ? null : bindFilter(parseFilter(filter), schema),
    startIndex: Math.max(1, numberOf(parameters, "startIndex") ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, numberOf(parameters, "count") ?? DEFAULT_COUNT)),
    projection: readProjection(parameters, schema),
  };
}

export function readProjection(parameters: QueryParameters, schema: ResourceSchema): Projection {
  const attributes = textOf(parameters, "attributes");
  const excludedAttributes = textOf(parameters, "excludedAttributes");
  return projectionOf(
    {
      ...(attributes !== undefined && { attributes }),
      ...(excludedAttributes !== undefined && { excludedAttributes }),
    },
    schema,
  );
}

function textOf(parameters: QueryParameters, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === "string" ? value : undefined;
}

function numberOf(parameters: QueryParameters, name: string): number | undefined {
  const text = textOf(parameters, name);
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d{1,9}$/.test(text))
    throw new ScimError("invalidValue", `The parameter '${name}' must be a number.`);
  return Number(text);
}

/** A part of a list, and the number of all resources that meet the filter. */
export interface Found {
  total: number;
  resources: readonly object[];
}

export function listResponse({ total, resources }: Found, startIndex = 1): object {
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

import { type Attribute, attributeNamed, type ResourceSchema, withoutSchema } from "./attributes.ts";
import type { Resource } from "./evaluate-filter.ts";
import { isObject } from "./read-resource.ts";

/** Which attributes a response has (RFC 7644, section 3.9). */
export interface Projection {
  /** Paths of the only attributes; null for all. */
  only: readonly string[] | null;
  /** Paths of attributes that are left out. */
  without: readonly string[];
}

export function projectionOf(
  { attributes, excludedAttributes }: { attributes?: string; excludedAttributes?: string },
  schema: ResourceSchema,
): Projection {
  const paths = (list: string) =>
    list
      .split(",")
      .map((path) => withoutSchema(schema, path.trim()).toLowerCase())
      .filter((path) => path !== "");
  const only = attributes === undefined ? null : paths(attributes);
  return {
    only: only === null || only.length === 0 ? null : only,
    without: excludedAttributes === undefined ? [] : paths(excludedAttributes),
  };
}

/** Returns whether a response has an attribute, or a part of it. */
export function shows({ only, without }: Projection, attribute: string): boolean {
  const name = attribute.toLowerCase();
  if (without.includes(name)) return false;
  return only === null || only.some((path) => path === name || path.startsWith(`${name}.`));
}

/** Returns a resource with the attributes that the request asks for. `schemas` and `id` are always there. */
export function project(resource: Resource, projection: Projection, schema: ResourceSchema): Resource {
  const shown: Resource = {};
  for (const [name, value] of Object.entries(resource)) {
    const attribute = attributeNamed(schema.all, name);
    if (attribute === undefined || attribute.returned === "always") shown[name] = value;
    else if (shows(projection, name)) shown[name] = partsOf(value, attribute, projection);
  }
  return shown;
}

function partsOf(value: unknown, attribute: Attribute, { only, without }: Projection): unknown {
  if (Array.isArray(value)) return value.map((one) => partsOf(one, attribute, { only, without }));
  if (!isObject(value)) return value;
  const whole = attribute.name.toLowerCase();
  const entries = Object.entries(value).filter(([part]) => {
    const path = `${whole}.${part.toLowerCase()}`;
    return !without.includes(path) && (only === null || only.includes(whole) || only.includes(path));
  });
  return Object.fromEntries(entries);
}

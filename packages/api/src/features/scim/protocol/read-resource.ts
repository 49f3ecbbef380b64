import { type Attribute, attributeNamed, type ResourceSchema, withoutSchema } from "./attributes.ts";
import type { Resource } from "./evaluate-filter.ts";
import { ScimError } from "./scim-error.ts";

const MAX_TEXT = 1_024;
const MAX_VALUES = 100;

/**
 * Returns what a client may set of a resource, with the names of the schema. Attributes that no resource has,
 * read-only ones and those without a value are left out (RFC 7644, sections 3.3 and 3.5.1).
 *
 * @throws ScimError invalidSyntax, invalidValue
 */
export function readResource(body: unknown, schema: ResourceSchema): Resource {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "The body must be a JSON object.");
  const resource: Resource = {};
  for (const [name, given] of Object.entries(body)) {
    const attribute = attributeNamed(schema.all, withoutSchema(schema, name));
    if (attribute === undefined || attribute.mutability === "readOnly") continue;
    const value = readValue(attribute, given);
    if (value !== undefined) resource[attribute.name] = value;
  }
  for (const { name, required } of schema.attributes)
    if (required === true && resource[name] === undefined)
      throw new ScimError("invalidValue", `The attribute '${name}' is required.`);
  return resource;
}

/** Returns the value of an attribute; undefined for none: null, an empty text or list. @throws ScimError */
export function readValue(attribute: Attribute, given: unknown): unknown {
  if (given === null || given === undefined) return undefined;
  if (attribute.multiValued !== true) return readOne(attribute, given);
  const values = Array.isArray(given) ? given : [given];
  if (attribute.idKind === undefined && attribute.name !== "members" && values.length > MAX_VALUES)
    throw new ScimError("invalidValue", `The attribute '${attribute.name}' can have ${MAX_VALUES} values.`);
  const read = values.map((value) => readOne(attribute, value)).filter((value) => value !== undefined);
  return read.length === 0 ? undefined : read;
}

/** Reads one value. A complex attribute's value may be given as the text of its part `value`. */
function readOne(attribute: Attribute, given: unknown): unknown {
  if (attribute.type === "complex") {
    const value = typeof given === "string" && attribute.multiValued === true ? { value: given } : given;
    if (!isObject(value)) throw new ScimError("invalidValue", `The attribute '${attribute.name}' has parts.`);
    const parts: Resource = {};
    for (const [name, part] of Object.entries(value)) {
      const inner = attributeNamed(attribute.subAttributes, name);
      const read = inner === undefined ? undefined : readValue(inner, part);
      if (inner !== undefined && read !== undefined) parts[inner.name] = read;
    }
    return Object.keys(parts).length === 0 ? undefined : parts;
  }
  if (attribute.type === "boolean") return readBoolean(attribute, given);
  if (given === null) return undefined;
  if (typeof given !== "string")
    throw new ScimError("invalidValue", `The attribute '${attribute.name}' must be a text.`);
  if (given.length > MAX_TEXT)
    throw new ScimError("invalidValue", `The attribute '${attribute.name}' can have ${MAX_TEXT} characters.`);
  return given === "" ? undefined : given;
}

/** Microsoft Entra ID sends booleans as `"True"` and `"False"`. */
function readBoolean({ name }: Attribute, given: unknown): boolean {
  if (typeof given === "boolean") return given;
  const text = typeof given === "string" ? given.toLowerCase() : "";
  if (text !== "true" && text !== "false")
    throw new ScimError("invalidValue", `The attribute '${name}' must be true or false.`);
  return text === "true";
}

export function isObject(value: unknown): value is Resource {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

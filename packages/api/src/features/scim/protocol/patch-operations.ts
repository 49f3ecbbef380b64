import { type Attribute, attributeNamed, type ResourceSchema, withoutSchema } from "./attributes.ts";
import { type BoundFilter, bindValueFilter } from "./bind-filter.ts";
import { parsePatchPath } from "./parse-filter.ts";
import { isObject } from "./read-resource.ts";
import { ScimError } from "./scim-error.ts";

/** One change of one attribute. */
export interface PatchOperation {
  op: "add" | "replace" | "remove";
  attribute: Attribute;
  /** Which values of the attribute are meant; null for all. */
  filter: BoundFilter | null;
  /** The part of the attribute that is meant; null for the whole. */
  sub: Attribute | null;
  /** As it was given; undefined for none. */
  value: unknown;
}

const MAX_OPERATIONS = 1_000;

/**
 * Reads the operations of a PATCH (RFC 7644, section 3.5.2), as Okta and Microsoft Entra ID send them: names of
 * operations in any case, and objects without a path whose keys may be paths. Attributes that no resource has
 * are left out, as those of other bodies are.
 *
 * @throws ScimError invalidSyntax, invalidPath, noTarget; mutability for the path of a read-only attribute.
 */
export function readPatch(body: unknown, schema: ResourceSchema): PatchOperation[] {
  const given = isObject(body) ? (body.Operations ?? body.operations) : undefined;
  if (!Array.isArray(given) || given.length === 0)
    throw new ScimError("invalidSyntax", "The body must have a list 'Operations'.");
  if (given.length > MAX_OPERATIONS)
    throw new ScimError("invalidSyntax", `A request can have ${MAX_OPERATIONS} operations.`);
  return given.flatMap((operation: unknown) => readOperation(operation, schema));
}

function readOperation(given: unknown, schema: ResourceSchema): PatchOperation[] {
  if (!isObject(given)) throw new ScimError("invalidSyntax", "Each operation must be an object.");
  const op = typeof given.op === "string" ? given.op.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw new ScimError("invalidSyntax", "The 'op' of an operation must be 'add', 'replace' or 'remove'.");
  const { path, value } = given;
  if (op !== "remove" && value === undefined)
    throw new ScimError("invalidValue", `The operation '${op}' needs a value.`);
  if (typeof path === "string" && path !== "") {
    const target = targetOf(path, schema);
    if (target?.attribute.mutability === "readOnly")
      throw new ScimError("mutability", `The attribute '${target.attribute.name}' cannot be changed.`);
    return target === null ? [] : [{ op, ...target, value }];
  }
  if (path !== undefined && path !== null && path !== "")
    throw new ScimError("invalidPath", "The path of an operation must be a text.");
  if (op === "remove") throw new ScimError("noTarget", "The operation 'remove' needs a path.");
  if (!isObject(value)) throw new ScimError("invalidValue", `Without a path, 'value' must be an object.`);
  return Object.entries(value).flatMap(([key, inner]) => {
    const target = targetOf(key, schema);
    const isLeftOut = target === null || target.attribute.mutability === "readOnly";
    return isLeftOut ? [] : [{ op, ...target, value: inner }];
  });
}

/** Returns null for an attribute that no resource has. @throws ScimError invalidPath, invalidFilter */
function targetOf(
  path: string,
  schema: ResourceSchema,
): Pick<PatchOperation, "attribute" | "filter" | "sub"> | null {
  const plain = withoutSchema(schema, path);
  // Names of other schemas have dots in their versions.
  if (/^urn:/i.test(plain)) return null;
  const parsed = parsePatchPath(plain);
  const [name = "", part, ...more] = parsed.path.split(".");
  const attribute = attributeNamed(schema.all, name);
  const subName = parsed.sub ?? part;
  if (attribute === undefined || more.length > 0) return null;
  const sub = subName === undefined ? null : (attributeNamed(attribute.subAttributes, subName) ?? null);
  if (subName !== undefined && sub === null) return null;
  if (parsed.filter === null) return { attribute, filter: null, sub };
  if (attribute.multiValued !== true || part !== undefined)
    throw new ScimError("invalidPath", `The attribute '${attribute.name}' has only one value.`);
  return { attribute, filter: bindValueFilter(parsed.filter, attribute), sub };
}

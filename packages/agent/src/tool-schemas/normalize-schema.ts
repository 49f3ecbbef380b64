import { isObject, resolveReference, type Schema } from "./json-schema.ts";
import { mergeAlternatives } from "./merge-alternatives.ts";
import { type OriginalNames, renameProperties } from "./property-names.ts";
import { KEYWORDS } from "./schema-keywords.ts";

export type NormalizedSchema =
  | {
      schema: Schema;
      /** By the names that the schema has. Empty when no property was renamed. */
      originals: OriginalNames;
      /** A sentence about the input that the schema does not say; null when it says all. */
      conditions: string | null;
    }
  /** Why a model cannot have the tool, as the end of a sentence. */
  | { reason: string };

/**
 * The input schema of a tool in a form that every provider accepts: an object of JSON Schema 2020-12 without combinations at its
 * top, with names of properties of at most 64 of the characters that providers take, and with items for each array. A schema that
 * is in this form already stays as it is. Whatever a provider would reject and the server validates anyway is left out.
 *
 * The work is linear in the size of the schema; no pattern of it is run.
 */
export function normalizeToolSchema(given: unknown): NormalizedSchema {
  if (given === undefined)
    return { schema: { type: "object", properties: {} }, originals: {}, conditions: null };
  if (!isObject(given)) return { reason: "its input schema is not an object" };
  const merged = mergeAlternatives(given);
  if ("reason" in merged) return merged;
  const { schema, originals } = renameProperties(normalize(merged.schema, merged.schema));
  return { schema, originals, conditions: merged.conditions };
}

/** @param root What references are resolved in. One that names nothing there allows everything. */
function normalize(given: unknown, root: Schema): Schema {
  if (given === false) return { not: {} };
  if (!isObject(given)) return {};
  const schema: Schema = {};
  for (const [key, value] of Object.entries(withModernKeywords(given))) {
    const keyword = KEYWORDS.get(key);
    const kept = keyword === undefined ? value : keyword(value, (inner) => normalize(inner, root));
    const isDead = key === "$ref" && !isObject(resolveReference(root, kept));
    if (kept !== undefined && !isDead) schema[key] = kept;
  }
  const { type } = schema;
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  if (isArray && schema.items === undefined) schema.items = {};
  return schema;
}

/** Keywords of older drafts in the form of 2020-12. */
function withModernKeywords(given: Schema): Schema {
  let schema = given;
  if (Array.isArray(schema.items)) schema = { ...schema, prefixItems: schema.items, items: {} };
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (schema[exclusive] !== true || typeof schema[limit] !== "number") continue;
    const { [limit]: value, ...rest } = schema;
    schema = { ...rest, [exclusive]: value };
  }
  return schema;
}

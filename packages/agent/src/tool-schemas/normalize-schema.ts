import { isObject, resolveReference, type Schema } from "./json-schema.ts";
import { mergeAlternatives } from "./merge-alternatives.ts";
import { type OriginalNames, renameProperties } from "./property-names.ts";
import { KEYWORDS } from "./schema-keywords.ts";

export type NormalizedSchema =
  | {
      schema: Schema;
      /** The original names, by the names in the schema. Empty when no property was renamed. */
      originals: OriginalNames;
      /** A sentence about what the schema does not express; null when it expresses everything. */
      conditions: string | null;
    }
  /** The reason why the tool cannot be used, as the end of a sentence. */
  | { reason: string };

/**
 * Converts a tool's input schema to a form that every provider accepts: an object of JSON Schema 2020-12. It
 * has no combinations at its top, property names of at most 64 accepted characters, and items for each array.
 * A schema in this form stays unchanged. Keywords that a provider would reject are dropped, since the server
 * validates the input anyway.
 *
 * The work is linear in the size of the schema; none of its patterns is run.
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

/** @param root the document in which references are resolved. A dead reference allows everything. */
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

/** Converts keywords of older drafts to 2020-12. */
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

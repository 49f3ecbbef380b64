/** What is wrong with a JSON Schema, and where. */
export interface SchemaFault {
  path: (string | number)[];
  message: string;
}

const typeNames = ["object", "array", "string", "number", "integer", "boolean", "null"];
const schemaKeywords = ["items", "additionalProperties", "not"];
const listKeywords = ["anyOf", "oneOf", "allOf"];
const mapKeywords = ["properties", "$defs"];

/**
 * Looks whether a value is a JSON Schema, as far as providers of models refuse others: the keywords that hold schemas
 * hold schemas, `type` names types, `required` and `enum` are lists. Keywords that are not known here pass. Null: it is one.
 */
export function schemaFault(schema: unknown, path: SchemaFault["path"] = []): SchemaFault | null {
  if (typeof schema === "boolean" && path.length > 0) return null;
  if (!isObject(schema)) return fault(path, "a JSON Schema");
  const own = keywordFault(schema, path);
  if (own !== null) return own;
  for (const [inner, place] of subschemas(schema)) {
    const found = schemaFault(inner, [...path, ...place]);
    if (found !== null) return found;
  }
  return null;
}

function keywordFault(schema: Record<string, unknown>, path: SchemaFault["path"]): SchemaFault | null {
  const { type, required, enum: values } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !(types.length > 0 && types.every((name) => typeNames.includes(name))))
    return fault([...path, "type"], `one of ${typeNames.join(", ")}`);
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    return fault([...path, "enum"], "a list of values");
  if (required !== undefined && !isNames(required)) return fault([...path, "required"], "a list of names");
  for (const keyword of mapKeywords)
    if (schema[keyword] !== undefined && !isObject(schema[keyword]))
      return fault([...path, keyword], "an object");
  for (const keyword of listKeywords)
    if (schema[keyword] !== undefined && !(Array.isArray(schema[keyword]) && schema[keyword].length > 0))
      return fault([...path, keyword], "a list of schemas");
  return null;
}

function subschemas(schema: Record<string, unknown>): [unknown, SchemaFault["path"]][] {
  const single = schemaKeywords.map((keyword) => [schema[keyword], [keyword]] as const);
  const listed = listKeywords.flatMap((keyword) =>
    Object.entries(schema[keyword] ?? []).map(([index, inner]) => [inner, [keyword, Number(index)]] as const),
  );
  const mapped = mapKeywords.flatMap((keyword) =>
    Object.entries(schema[keyword] ?? {}).map(([name, inner]) => [inner, [keyword, name]] as const),
  );
  return [...single, ...listed, ...mapped]
    .filter(([inner]) => inner !== undefined)
    .map(([inner, place]) => [inner, [...place]]);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(path: SchemaFault["path"], needed: string): SchemaFault {
  return { path, message: `Field '{field}' must be ${needed}.` };
}

/** An error in a JSON Schema, and the path of the keyword. */
export interface JsonSchemaError {
  path: (string | number)[];
  message: string;
}

const TYPE_NAMES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const SCHEMA_KEYWORDS = ["items", "additionalProperties", "not"];
const LIST_KEYWORDS = ["anyOf", "oneOf", "allOf"];
const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const COUNT_KEYWORDS = ["minLength", "maxLength", "minItems", "maxItems"];
const MAP_KEYWORDS = ["properties", "$defs"];

/**
 * Checks that a value is a JSON Schema, as far as model providers do. Keywords for schemas must have schemas,
 * `type` must name types, `required` and `enum` must be lists, limits must be numbers. Unknown keywords are
 * not checked. Returns null for a valid schema.
 */
export function jsonSchemaError(schema: unknown, path: JsonSchemaError["path"] = []): JsonSchemaError | null {
  if (typeof schema === "boolean" && path.length > 0) return null;
  if (!isObject(schema)) return error(path, "a JSON Schema");
  const own = keywordError(schema, path);
  if (own !== null) return own;
  for (const [inner, place] of subschemas(schema)) {
    const found = jsonSchemaError(inner, [...path, ...place]);
    if (found !== null) return found;
  }
  return null;
}

function keywordError(
  schema: Record<string, unknown>,
  path: JsonSchemaError["path"],
): JsonSchemaError | null {
  const { type, required, enum: values } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && !(types.length > 0 && types.every((name) => TYPE_NAMES.includes(name))))
    return error([...path, "type"], `one of ${TYPE_NAMES.join(", ")}`);
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    return error([...path, "enum"], "a list of values");
  if (required !== undefined && !isNames(required)) return error([...path, "required"], "a list of names");
  return limitError(schema, path) ?? containerError(schema, path);
}

function limitError(schema: Record<string, unknown>, path: JsonSchemaError["path"]): JsonSchemaError | null {
  for (const keyword of NUMBER_KEYWORDS)
    if (schema[keyword] !== undefined && typeof schema[keyword] !== "number")
      return error([...path, keyword], "a number");
  for (const keyword of COUNT_KEYWORDS)
    if (schema[keyword] !== undefined && !(Number.isInteger(schema[keyword]) && Number(schema[keyword]) >= 0))
      return error([...path, keyword], "a number of characters or items");
  return null;
}

/** Checks the keywords that contain schemas. */
function containerError(
  schema: Record<string, unknown>,
  path: JsonSchemaError["path"],
): JsonSchemaError | null {
  for (const keyword of MAP_KEYWORDS)
    if (schema[keyword] !== undefined && !isObject(schema[keyword]))
      return error([...path, keyword], "an object");
  for (const keyword of LIST_KEYWORDS)
    if (schema[keyword] !== undefined && !(Array.isArray(schema[keyword]) && schema[keyword].length > 0))
      return error([...path, keyword], "a list of schemas");
  return null;
}

function subschemas(schema: Record<string, unknown>): [unknown, JsonSchemaError["path"]][] {
  const single = SCHEMA_KEYWORDS.map((keyword) => [schema[keyword], [keyword]] as const);
  const listed = LIST_KEYWORDS.flatMap((keyword) =>
    Object.entries(schema[keyword] ?? []).map(([index, inner]) => [inner, [keyword, Number(index)]] as const),
  );
  const mapped = MAP_KEYWORDS.flatMap((keyword) =>
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

function error(path: JsonSchemaError["path"], needed: string): JsonSchemaError {
  return { path, message: `Field '{field}' must be ${needed}.` };
}

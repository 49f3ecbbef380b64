/** Fields of an object in a setting, not validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** Parses a JSON array of objects with only these fields. @throws Error with a clause for the operator. */
export function parseObjects<T>(
  text: string,
  fields: readonly string[],
  parse: (item: Fields, at: string) => T,
): T[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new Error(`must be a JSON array of {${fields.join(", ")}}`);
  return value.map((item: unknown, index) => {
    const at = `[${index}]`;
    if (typeof item !== "object" || item === null) throw new Error(`${at} must be an object`);
    const unknown = Object.keys(item).find((field) => !fields.includes(field));
    if (unknown !== undefined) throw new Error(`${at} has the unknown field ${unknown}`);
    return parse(item as Fields, at);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("must be valid JSON");
  }
}

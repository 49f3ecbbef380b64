import { z } from "zod";

const MAX_REPAIRS = 8;

/**
 * Parses a model's input for a tool. Input that does not match but whose meaning is plain is repaired. That
 * is a number, boolean or list written as a text, a field name in another style (`filePath`), or a field
 * without a value (null). Otherwise the error of the original input is returned.
 */
export function parseInput(schema: z.ZodType, given: unknown): z.ZodSafeParseResult<unknown> {
  const first = schema.safeParse(given);
  if (first.success || typeof given !== "object" || given === null) return first;
  let input: unknown = given;
  let result: z.ZodSafeParseResult<unknown> = first;
  for (let repairs = 0; !result.success && repairs < MAX_REPAIRS; repairs++) {
    const before = input;
    for (const issue of result.error.issues) input = repaired(input, issue, schema);
    if (input === before) break;
    result = schema.safeParse(input);
  }
  return result.success ? result : first;
}

type Fields = Record<string, unknown>;

/** Returns the input with one issue repaired, or the same object if its meaning is not plain. */
function repaired(input: unknown, issue: z.core.$ZodIssue, schema: z.ZodType): unknown {
  const fields = input as Fields;
  if (issue.code === "unrecognized_keys" && issue.path.length === 0)
    return withKnownNames(fields, issue.keys, schema);
  const [field, ...deeper] = issue.path;
  if (typeof field !== "string" || deeper.length > 0 || !Object.hasOwn(fields, field)) return input;
  const value = fields[field];
  if (value === null) return without(fields, field);
  const converted = typeof value === "string" ? convert(value, issue) : undefined;
  return converted === undefined ? input : { ...fields, [field]: converted };
}

function convert(text: string, issue: z.core.$ZodIssue): unknown {
  if (issue.code !== "invalid_type") return undefined;
  const plain = text.trim();
  const { expected } = issue;
  if ((expected === "number" || expected === "int") && /^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  if (expected === "boolean" && /^(true|false)$/i.test(plain)) return plain.toLowerCase() === "true";
  if ((expected === "array" || expected === "tuple") && plain.startsWith("[")) return parsedJson(plain);
  return undefined;
}

function withKnownNames(fields: Fields, unknown: readonly string[], schema: z.ZodType): Fields {
  const known = knownFields(schema);
  let changed = fields;
  for (const name of unknown) {
    const value = fields[name];
    const meant = known.find(
      (field) => plainName(field) === plainName(name) && !Object.hasOwn(fields, field),
    );
    if (value !== null && meant === undefined) continue;
    changed = without(changed, name);
    if (value !== null && meant !== undefined) changed = { ...changed, [meant]: value };
  }
  return changed;
}

function knownFields(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function without(fields: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A form field for one property of a JSON Schema. */
export type FormField = {
  name: string;
  label: string;
  about: string | null;
  required: boolean;
  /** The kind of input. A `list` holds one text a line. */
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "list" | "json";
  /** Whether null is a valid value. */
  nullable: boolean;
  /** The values of a `choice`, each with its text in the form. */
  choices: readonly { text: string; value: unknown }[];
  minimum: number | null;
  maximum: number | null;
  minLength: number;
  maxLength: number | null;
};

/** The typed texts by field. An absent or empty text means that the field was left out. */
export type FormEntries = Readonly<Record<string, string>>;

type Schema = Record<string, unknown>;

/**
 * Returns the fields of an object schema, in its order. A property without a matching kind of field is typed
 * as JSON.
 */
export function fieldsOf(schema: Schema): FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectOr(schema.properties)).map(([name, inner]) =>
    fieldOf(name, objectOr(inner), required.includes(name)),
  );
}

function fieldOf(name: string, declared: Schema, required: boolean): FormField {
  const { schema, nullable } = withoutNull(declared);
  const number = (keyword: string) =>
    typeof schema[keyword] === "number" ? (schema[keyword] as number) : null;
  return {
    name,
    label: textOr(declared.title) ?? textOr(schema.title) ?? name,
    about: textOr(declared.description) ?? textOr(schema.description),
    required,
    nullable,
    kind: kindOf(schema),
    choices: choicesOf(schema),
    minimum: number("minimum"),
    maximum: number("maximum"),
    minLength: number("minLength") ?? 0,
    maxLength: number("maxLength"),
  };
}

/** Returns a schema without its null type, which `type` or `anyOf` may allow, and whether it had one. */
function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = schema.type.filter((type) => type !== "null");
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, nullable: true };
  }
  const others = Array.isArray(schema.anyOf)
    ? schema.anyOf.map(objectOr).filter(({ type }) => type !== "null")
    : [];
  if (others[0] === undefined || others.length > 1) return { schema, nullable: false };
  return { schema: others[0], nullable: others.length < (schema.anyOf as unknown[]).length };
}

function kindOf(schema: Schema): FormField["kind"] {
  if (Array.isArray(schema.enum) || "const" in schema) return "choice";
  switch (schema.type) {
    case "string":
      return "text";
    case "number":
    case "integer":
    case "boolean":
      return schema.type;
    case "array":
      return kindOf(objectOr(schema.items)) === "text" ? "list" : "json";
    default:
      return "json";
  }
}

function choicesOf(schema: Schema): FormField["choices"] {
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  return values.map((value: unknown) => ({
    text: typeof value === "string" ? value : JSON.stringify(value),
    value,
  }));
}

export type FormResult =
  | { value: Record<string, unknown>; errors: null }
  | { value: null; errors: Record<string, string> };

/** Returns the typed object, or the errors by field. */
export function readForm(fields: readonly FormField[], entries: FormEntries): FormResult {
  const errors: Record<string, string> = {};
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = ownText(entries, field.name) ?? "";
    if (typed === "" && !mayBeEmpty(field)) {
      if (field.required && field.nullable) value[field.name] = null;
      else if (field.required) errors[field.name] = "This is required.";
      continue;
    }
    const read = readField(field, typed);
    if (read.error !== null) errors[field.name] = read.error;
    else value[field.name] = read.value;
  }
  return Object.keys(errors).length === 0 ? { value, errors: null } : { value: null, errors };
}

/** Whether an empty text is a value rather than a missing one. */
function mayBeEmpty({ kind, required, nullable, minLength }: FormField): boolean {
  return kind === "text" && required && !nullable && minLength === 0;
}

/** Returns a record's own text, never an inherited member such as `constructor`. */
export function ownText(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

type Read = { value: unknown; error: null } | { value: null; error: string };

function readField(field: FormField, typed: string): Read {
  switch (field.kind) {
    case "text":
      return readText(field, typed);
    case "number":
    case "integer":
      return readNumber(field, typed);
    case "boolean":
      return fine(typed === "true");
    case "choice": {
      const choice = field.choices.find(({ text }) => text === typed);
      return choice === undefined ? wrong("Choose one of the values.") : fine(choice.value);
    }
    case "list":
      return fine(typed.split("\n").filter((line) => line !== ""));
    case "json":
      return readJson(typed);
  }
}

/** Parses a JSON text; returns an error when it is invalid. */
export function readJson(typed: string): Read {
  try {
    return fine(JSON.parse(typed));
  } catch {
    return wrong("This is not JSON.");
  }
}

function readText({ minLength, maxLength }: FormField, typed: string): Read {
  if (typed.length < minLength) return wrong(`At least ${minLength} characters are needed.`);
  if (maxLength !== null && typed.length > maxLength)
    return wrong(`At most ${maxLength} characters are allowed.`);
  return fine(typed);
}

function readNumber({ kind, minimum, maximum }: FormField, typed: string): Read {
  const value = Number(typed);
  if (typed.trim() === "" || !Number.isFinite(value)) return wrong("This is not a number.");
  if (kind === "integer" && !Number.isInteger(value)) return wrong("This must be a whole number.");
  if (minimum !== null && value < minimum) return wrong(`At least ${minimum} is needed.`);
  if (maximum !== null && value > maximum) return wrong(`At most ${maximum} is allowed.`);
  return fine(value);
}

function fine(value: unknown): Read {
  return { value, error: null };
}

function wrong(error: string): Read {
  return { value: null, error };
}

/** A form for the result of a custom tool. */
export type ResultForm = {
  fields: readonly FormField[];
  /** Returns what the model gets: an object as JSON, a text unchanged. */
  textOf: (value: Record<string, unknown>) => string;
};

const ONLY = "result";

/**
 * Returns the form of a tool's result, or null if the tool's author declared none. The declaration is
 * `$defs.result` of the input schema, which the model also sees. An object gets one field per property,
 * anything else a single field.
 */
export function resultFormOf(inputSchema: Schema): ResultForm | null {
  const schema = objectOr(objectOr(inputSchema.$defs).result);
  if (Object.keys(schema).length === 0) return null;
  const fields = schema.type === "object" ? fieldsOf(schema) : [];
  if (fields.length > 0) return { fields, textOf: (value) => JSON.stringify(value) };
  const only = fieldOf(ONLY, { title: "Result", ...schema }, true);
  return {
    fields: [only],
    textOf: ({ [ONLY]: value }) => (typeof value === "string" ? value : JSON.stringify(value)),
  };
}

function objectOr(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function textOr(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

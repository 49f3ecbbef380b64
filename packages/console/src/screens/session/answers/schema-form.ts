/** A field of a form, for one property of a JSON Schema. */
export type FormField = {
  name: string;
  label: string;
  about: string | null;
  required: boolean;
  /** `list`: texts, one in a line. */
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "list" | "json";
  /** Null is a value. */
  nullable: boolean;
  /** With `choice`: the values, each with its text in the form. */
  choices: readonly { text: string; value: unknown }[];
  minimum: number | null;
  maximum: number | null;
  minLength: number;
  maxLength: number | null;
};

/** What was typed, by field. A field that is absent or empty was left out. */
export type FormEntries = Readonly<Record<string, string>>;

type Schema = Record<string, unknown>;

/** The fields of a schema of an object, in its order. What has no field of its own kind is typed as JSON. */
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

/** A schema that also allows null, by `type` or by `anyOf`, without that. */
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

/** The object that was typed, or what is wrong, by field. */
export function readForm(fields: readonly FormField[], entries: FormEntries): FormResult {
  const errors: Record<string, string> = {};
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = ownText(entries, field.name) ?? "";
    if (typed === "" && !mayBeEmpty(field)) {
      if (field.required && field.nullable) value[field.name] = null;
      else if (field.required) errors[field.name] = "This is needed.";
      continue;
    }
    const read = readField(field, typed);
    if (read.error !== null) errors[field.name] = read.error;
    else value[field.name] = read.value;
  }
  return Object.keys(errors).length === 0 ? { value, errors: null } : { value: null, errors };
}

/** Whether an empty text is a value rather than none. */
function mayBeEmpty({ kind, required, nullable, minLength }: FormField): boolean {
  return kind === "text" && required && !nullable && minLength === 0;
}

/** A text of a record, and none that every object has, such as `constructor`. */
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

/** The value of a JSON text. */
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
  if (kind === "integer" && !Number.isInteger(value)) return wrong("A whole number is needed.");
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

/** The form of a custom tool's result. */
export type ResultForm = {
  fields: readonly FormField[];
  /** What the model gets: an object as JSON, a text as it is. */
  textOf: (value: Record<string, unknown>) => string;
};

const ONLY = "result";

/**
 * The form of a result if the tool's author said what it is, with `$defs.result` in the schema of the input, which the model also sees: a field
 * for each property of an object, else one field.
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

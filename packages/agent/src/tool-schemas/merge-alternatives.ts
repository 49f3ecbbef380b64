import { isObject, resolveReference, type Schema } from "./json-schema.ts";

/** Keywords that are valid at the top of a tool's schema but that no provider accepts there. */
const COMBINATIONS = ["allOf", "anyOf", "oneOf"] as const;
const CONDITIONS = ["not", "if", "then", "else", "enum", "const"];
/** Maximum schemas that are merged, including alternatives and resolved references. */
const MAX_PARTS = 256;
/** Maximum characters of conditions that are added to the description. */
const MAX_CONDITIONS_LENGTH = 2_000;

export type Merged =
  /** `conditions` is a sentence about what the schema does not express; null when it expresses everything. */
  | { schema: Schema; conditions: string | null }
  /** The reason why no object schema can express the same, as the end of a sentence. */
  | { reason: string };

/**
 * Returns an object schema without references and combinations at its top. It has the properties of all
 * alternatives, and requires those that each alternative requires. The description states what that leaves
 * open; the server validates it.
 */
export function mergeAlternatives(root: Schema): Merged {
  const flat = flatten(root, { root, parts: 0 });
  if (typeof flat === "string") return { reason: flat };
  const said = [...COMBINATIONS, ...CONDITIONS].filter((keyword) => root[keyword] !== undefined);
  if (said.length === 0) return { schema: flat, conditions: null };
  return {
    schema: flat,
    conditions: inWords(Object.fromEntries(said.map((keyword) => [keyword, root[keyword]]))),
  };
}

/** Returns a sentence for a tool's description about a schema that the tool's own does not express. */
export function inWords(schema: Schema): string {
  const text = JSON.stringify(schema);
  return text.length <= MAX_CONDITIONS_LENGTH
    ? `The input must also match this JSON Schema: ${text}`
    : "Only some combinations of these fields are accepted.";
}

interface Walk {
  root: Schema;
  /** The number of schemas visited. */
  parts: number;
}

/** Returns a string, the reason, when there is no such schema. */
function flatten(given: Schema, walk: Walk): Schema | string {
  walk.parts += 1;
  if (walk.parts > MAX_PARTS) return "its input schema refers to itself, or has too many alternatives";
  const { $ref, ...own } = given;
  if ($ref !== undefined) {
    const target = resolveReference(walk.root, $ref);
    return flatten(isObject(target) ? { ...target, ...own } : own, walk);
  }
  const type = typeProblem(own.type);
  if (type !== null) return type;
  const rest = Object.fromEntries(
    Object.entries(own).filter(([key]) => ![...COMBINATIONS, ...CONDITIONS].includes(key)),
  );
  const branches: { keyword: string; schemas: Schema[] }[] = [];
  for (const keyword of COMBINATIONS) {
    const schemas = alternatives(own[keyword], walk);
    if (typeof schemas === "string") return schemas;
    if (schemas.length > 0) branches.push({ keyword, schemas });
  }
  if (branches.length === 0) return { ...rest, type: "object" };
  return merged(rest, branches);
}

function alternatives(value: unknown, walk: Walk): Schema[] | string {
  if (!Array.isArray(value)) return [];
  const schemas: Schema[] = [];
  for (const one of value) {
    // `true` allows everything, and `null` is no input of a tool.
    if (!isObject(one) || one.type === "null") continue;
    const flat = flatten(one, walk);
    if (typeof flat === "string") return flat;
    schemas.push(flat);
  }
  return schemas;
}

function merged(rest: Schema, branches: readonly { keyword: string; schemas: Schema[] }[]): Schema {
  const all = branches.flatMap(({ schemas }) => schemas);
  const byName = new Map<string, Map<string, unknown>>();
  for (const { properties } of [rest, ...all]) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const variants = byName.get(name) ?? new Map<string, unknown>();
      byName.set(name, variants.set(JSON.stringify(schema), schema));
    }
  }
  const properties = Object.fromEntries(
    [...byName].map(([name, variants]) => [
      name,
      variants.size === 1 ? [...variants.values()][0] : { anyOf: [...variants.values()] },
    ]),
  );
  const required = new Set(namesOf(rest));
  for (const { keyword, schemas } of branches) {
    const lists = schemas.map((schema) => new Set(namesOf(schema)));
    const [first = new Set<string>(), ...others] = lists;
    const common = [...first].filter((name) => others.every((other) => other.has(name)));
    const always = keyword === "allOf" ? lists.flatMap((list) => [...list]) : common;
    for (const name of always) required.add(name);
  }
  // An alternative that forbids other properties would also forbid those of the others.
  const { additionalProperties, ...shared } = rest;
  const closed = [rest, ...all].every((schema) => schema.additionalProperties === false);
  return {
    ...shared,
    type: "object",
    properties,
    ...(required.size > 0 && { required: [...required] }),
    ...(isObject(additionalProperties) && { additionalProperties }),
    ...(closed && { additionalProperties: false }),
  };
}

function namesOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Returns null for a schema that allows objects. */
function typeProblem(type: unknown): string | null {
  const types = Array.isArray(type) ? type : [type];
  if (type === undefined || types.includes("object")) return null;
  const named = types.map(String).join(" or ").slice(0, 60);
  return `its input schema is of type ${named}, not object`;
}

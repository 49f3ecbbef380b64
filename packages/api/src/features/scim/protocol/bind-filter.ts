import { type Attribute, attributeNamed, type ResourceSchema, withoutSchema } from "./attributes.ts";
import type { Filter, FilterValue, Operator } from "./parse-filter.ts";
import { ScimError } from "./scim-error.ts";

/** A filter whose names are looked up. Paths in `any` begin at one value of the attribute. */
export type BoundFilter =
  | { kind: "and" | "or"; parts: readonly BoundFilter[] }
  | { kind: "not"; part: BoundFilter }
  | { kind: "constant"; value: boolean }
  | { kind: "any"; attribute: Attribute; part: BoundFilter }
  | { kind: "test"; attribute: Attribute; path: readonly string[]; test: Test };

/** What is asked of one value. Null stands for no value. */
export type Test =
  | { operator: "pr" }
  | { operator: Operator; value: string | boolean | Date }
  | { operator: "eq" | "ne"; value: null };

type Term = Extract<Filter, { kind: "present" | "compare" }>;

/** Operators that attributes of a type have, besides strings, which have all. */
const OPERATORS_OF: Readonly<Record<"boolean" | "dateTime" | "id", readonly Operator[]>> = {
  boolean: ["eq", "ne"],
  dateTime: ["eq", "ne", "gt", "ge", "lt", "le"],
  id: ["eq", "ne"],
};

/**
 * Looks up the attributes of a filter. One that no resource of the type has is as one without a value.
 *
 * @throws ScimError invalidFilter for an operator or a value that the attribute's type does not have.
 */
export function bindFilter(filter: Filter, schema: ResourceSchema): BoundFilter {
  return bind(filter, schema.all, (path) => withoutSchema(schema, path));
}

/** Does the same for the filter of one value of a multi-valued attribute. */
export function bindValueFilter(filter: Filter, attribute: Attribute): BoundFilter {
  return bind(filter, attribute.subAttributes ?? [], (path) => path);
}

function bind(
  filter: Filter,
  attributes: readonly Attribute[],
  plain: (path: string) => string,
): BoundFilter {
  switch (filter.kind) {
    case "and":
    case "or":
      return { kind: filter.kind, parts: filter.parts.map((part) => bind(part, attributes, plain)) };
    case "not":
      return { kind: "not", part: bind(filter.part, attributes, plain) };
    case "any": {
      const attribute = attributeNamed(attributes, plain(filter.path));
      if (attribute === undefined) return { kind: "constant", value: false };
      if (attribute.multiValued === undefined)
        throw new ScimError("invalidFilter", `The attribute '${attribute.name}' has only one value.`);
      return { kind: "any", attribute, part: bindValueFilter(filter.part, attribute) };
    }
    default:
      return bindTerm(filter, attributes, plain(filter.path).split("."));
  }
}

function bindTerm(
  term: Term,
  attributes: readonly Attribute[],
  [name = "", sub, ...more]: readonly string[],
): BoundFilter {
  const attribute = attributeNamed(attributes, name);
  if (attribute === undefined || more.length > 0) return withoutValue(term);
  if (attribute.multiValued === true) return bindMultiValued(term, attribute, sub);
  if (sub !== undefined) {
    const inner = attributeNamed(attribute.subAttributes, sub);
    return inner === undefined ? withoutValue(term) : leaf(term, inner, [attribute.name, inner.name]);
  }
  if (attribute.type !== "complex") return leaf(term, attribute, [attribute.name]);
  if (term.kind !== "present")
    throw new ScimError("invalidFilter", `The attribute '${attribute.name}' has parts; compare one of them.`);
  const parts = (attribute.subAttributes ?? []).map((inner) =>
    leaf(term, inner, [attribute.name, inner.name]),
  );
  return { kind: "or", parts };
}

/** Binds a term about any value of an attribute. Without a sub-attribute, it is about `value`. */
function bindMultiValued(term: Term, attribute: Attribute, sub: string | undefined): BoundFilter {
  if (sub === undefined && term.kind === "present")
    return { kind: "any", attribute, part: { kind: "constant", value: true } };
  const inner = attributeNamed(attribute.subAttributes, sub ?? "value");
  if (inner === undefined) return withoutValue(term);
  return { kind: "any", attribute, part: leaf(term, inner, [inner.name]) };
}

function withoutValue(term: Term): BoundFilter {
  const value =
    term.kind === "compare" &&
    ((term.operator === "eq" && term.value === null) || (term.operator === "ne" && term.value !== null));
  return { kind: "constant", value };
}

function leaf(term: Term, attribute: Attribute, path: readonly string[]): BoundFilter {
  return { kind: "test", attribute, path, test: testOf(term, attribute) };
}

function testOf(term: Term, { name, type, idKind }: Attribute): Test {
  if (term.kind === "present") return { operator: "pr" };
  const { operator, value: given } = term;
  const kind = idKind !== undefined ? "id" : type === "boolean" || type === "dateTime" ? type : "string";
  const hasOperator = kind === "string" || OPERATORS_OF[kind].includes(operator);
  if (!hasOperator)
    throw new ScimError("invalidFilter", `The attribute '${name}' has no operator '${operator}'.`);
  if (given === null) {
    if (operator === "eq" || operator === "ne") return { operator, value: null };
    throw new ScimError("invalidFilter", `The operator '${operator}' needs a value that is not null.`);
  }
  const value = typedValue(given, kind);
  if (value === null)
    throw new ScimError("invalidFilter", `The attribute '${name}' cannot be compared with this value.`);
  return { operator, value };
}

/** Returns null for a value of another type. Some clients quote booleans. */
function typedValue(
  given: Exclude<FilterValue, null>,
  kind: "id" | "boolean" | "dateTime" | "string",
): string | boolean | Date | null {
  if (kind === "boolean") {
    if (typeof given === "boolean") return given;
    const text = `${given}`.toLowerCase();
    return text === "true" || text === "false" ? text === "true" : null;
  }
  if (typeof given !== "string") return null;
  if (kind !== "dateTime") return given;
  const date = new Date(given);
  const isDate = /^\d{4}-\d{2}-\d{2}T/.test(given) && !Number.isNaN(date.getTime());
  return isDate ? date : null;
}

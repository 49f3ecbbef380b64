import type { z } from "zod";
import { type BetaFeature, withFeatures } from "./beta.ts";

/** The first error of a request, or one of its errors. */
export interface ValidationError {
  /** The path of the field, or null for the whole document. */
  param: string | null;
  /** One sentence. */
  message: string;
  /** The beta feature that the request used without activating it. */
  feature?: BetaFeature;
}

const REQUIRED = "Field '{field}' is required.";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
type Found = { path: Path; message: string; rank: number; feature?: BetaFeature };

const NO_FEATURES: ReadonlySet<BetaFeature> = new Set();

/** Parses an input by a schema. Returns its data, or its first error in document order. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  features = NO_FEATURES,
): { data: z.output<S> } | { error: ValidationError } {
  const result = withFeatures(features, () => schema.safeParse(input, { error: validationMessage }));
  return result.success ? { data: result.data } : { error: firstValidationError(result.error.issues, input) };
}

/**
 * Returns the first error in document order among the issues of a failed parse. A missing field counts as the
 * last of its object; an invalid `type` counts as the first, since it decides which other fields there are.
 * The parse must have had `validationMessage` as its `error`.
 */
export function firstValidationError(issues: readonly Issue[], input: unknown): ValidationError {
  const positionsOf = positionsIn(input);
  let first: (Found & { positions: readonly number[] }) | undefined;
  for (const error of issues.flatMap((issue) => errorsOf(issue, [], input))) {
    const positions = positionsOf(error);
    if (first === undefined || compareDocumentOrder(positions, first.positions) < 0)
      first = { ...error, positions };
  }
  return first === undefined
    ? { param: null, message: "The request is not valid." }
    : asValidationError(first);
}

/** Returns all errors of an input, in document order; empty if it is valid. */
export function validationErrors(schema: z.ZodType, input: unknown): ValidationError[] {
  const result = schema.safeParse(input, { error: validationMessage });
  const positionsOf = positionsIn(input);
  return (result.error?.issues ?? [])
    .flatMap((issue) => errorsOf(issue, [], input))
    .map((found) => ({ found, positions: positionsOf(found) }))
    .toSorted((one, other) => compareDocumentOrder(one.positions, other.positions))
    .map(({ found }) => asValidationError(found));
}

function asValidationError({ path, message, feature }: Found): ValidationError {
  const param = formatFieldPath(path);
  return { param, message: withPath(message, param), ...(feature === undefined ? {} : { feature }) };
}

/** Formats a path as `resources[0].url`, cut to 200 characters; null for the whole document. */
export function formatFieldPath(path: Path): string | null {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before.replace(/\[\]$/, "")}[${key}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
  return path.length === 0 ? null : text.slice(0, 200);
}

/** Returns an error's message if its schema has none, with `{field}` for the path. Pass it as `error`. */
export function validationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? REQUIRED : mustBe(kindOf(issue));
    case "invalid_value":
      return issue.input === undefined ? REQUIRED : mustBe(oneOf(issue.values));
    case "too_small":
      return tooSmall(issue.origin, issue.minimum);
    case "too_big":
      return tooBig(issue.origin, issue.maximum);
    case "invalid_format":
      return issue.format === "datetime"
        ? mustBe("a time in UTC, such as '2026-01-31T12:00:00.000Z'")
        : "Field '{field}' has an invalid format.";
    case "invalid_union":
      return oneOfOptions(issue as { input?: unknown; options?: unknown });
    case "unrecognized_keys":
      return "Unknown field '{field}'.";
    default:
      return "Field '{field}' is not valid.";
  }
}

function errorsOf(issue: Issue, before: Path, input: unknown): Found[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message, rank: 0 }));
  }
  if (issue.code === "invalid_key") return [{ path, message: keyMessage(issue), rank: 0 }];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    if (isMissing(path, input)) return [{ path, message: REQUIRED, rank: 0 }];
    const value = valueAt(path, input);
    const branch = closestBranch(issue.errors, value);
    if (branch !== null) return branch.flatMap((inner) => errorsOf(inner, path, input));
    const expected = issue.errors.flatMap((issues) => expectedAtTop(issues, value));
    return [{ path, message: mustBe(listOf(expected)), rank: 0 }];
  }
  const feature = issue.code === "custom" ? (issue.params?.feature as BetaFeature | undefined) : undefined;
  const found = { path, message: issue.message, rank: isDiscriminator(issue) ? -1 : 0 };
  return [feature === undefined ? found : { ...found, feature }];
}

function isMissing(path: Path, input: unknown): boolean {
  return path.length > 0 && valueAt(path, input) === undefined;
}

function valueAt(path: Path, input: unknown): unknown {
  return path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key],
    input,
  );
}

/** Returns the branch of the value's JSON type with the fewest errors; null if no branch takes that type. */
function closestBranch(branches: readonly Issue[][], value: unknown): readonly Issue[] | null {
  const fitting = branches.filter((issues) => expectedAtTop(issues, value).length === 0);
  return fitting.toSorted((one, other) => one.length - other.length)[0] ?? null;
}

function expectedAtTop(issues: readonly Issue[], value: unknown): string[] {
  return issues.flatMap((issue) => {
    if (issue.path.length > 0) return [];
    if (issue.code === "invalid_type") return [nounOf(issue.expected)];
    const isOther =
      issue.code === "invalid_value" && issue.values.every((one) => typeof one !== typeof value);
    return isOther ? [oneOf(issue.values)] : [];
  });
}

function isDiscriminator(issue: Issue): boolean {
  const key = issue.path.at(-1);
  return key === "type" && (issue.code === "invalid_value" || issue.code === "invalid_union");
}

function compareDocumentOrder(left: readonly number[], right: readonly number[]): number {
  for (let depth = 0; depth < Math.max(left.length, right.length); depth++) {
    const difference = (left[depth] ?? -1) - (right[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Returns a function that gives, for each step of an error's path, its position among its siblings in the
 * document. Siblings are counted once per object, since a hostile document has very many errors.
 */
function positionsIn(input: unknown): (error: Found) => readonly number[] {
  const counted = new Map<object, Map<string, number>>();
  const siblingsOf = (value: unknown): Map<string, number> => {
    if (typeof value !== "object" || value === null) return new Map();
    const known = counted.get(value);
    if (known !== undefined) return known;
    const siblings = new Map(Object.keys(value).map((key, position) => [key, position]));
    counted.set(value, siblings);
    return siblings;
  };
  return ({ path, rank }) => {
    let value = input;
    return path.map((key, depth) => {
      if (rank < 0 && depth === path.length - 1) return -1;
      const siblings = siblingsOf(value);
      const position = siblings.get(String(key));
      value = position === undefined ? undefined : (value as Record<PropertyKey, unknown>)[key];
      return position ?? siblings.size;
    });
  };
}

function withPath(message: string, param: string | null): string {
  return param === null
    ? message.replace("Field '{field}'", "The body").replaceAll("{field}", "")
    : message.replaceAll("{field}", () => param);
}

function mustBe(what: string): string {
  return `Field '{field}' must be ${what}.`;
}

function kindOf(issue: z.core.$ZodRawIssue & { code: "invalid_type" }): string {
  const definition = issue.inst?._zod.def as { format?: string } | undefined;
  return nounOf(definition?.format === "safeint" ? "int" : issue.expected);
}

function nounOf(expected: string): string {
  const nouns: Record<string, string> = {
    array: "an array",
    int: "an integer",
    object: "an object",
    record: "an object",
  };
  return nouns[expected] ?? `a ${expected}`;
}

function oneOf(values: readonly unknown[]): string {
  const named = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  return named.length === 1 ? `${named[0]}` : `one of ${named.join(", ")}`;
}

function oneOfOptions(issue: { input?: unknown; options?: unknown }): string {
  return Array.isArray(issue.options) && issue.options.length > 0
    ? mustBe(oneOf(issue.options))
    : "Field '{field}' is not valid.";
}

function listOf(nouns: readonly string[]): string {
  return [...new Set(nouns)].join(" or ");
}

function tooSmall(origin: string, minimum: number | bigint): string {
  if (origin === "string" || origin === "array") {
    if (Number(minimum) === 1) return "Field '{field}' must not be empty.";
    const unit = origin === "string" ? "characters long" : "items";
    return `Field '{field}' must ${origin === "string" ? "be" : "have"} at least ${minimum} ${unit}.`;
  }
  return mustBe(`at least ${minimum}`);
}

function tooBig(origin: string, maximum: number | bigint): string {
  if (origin === "string") return mustBe(`at most ${maximum} characters long`);
  if (origin === "array") return `Field '{field}' must have at most ${maximum} items.`;
  return mustBe(`at most ${maximum}`);
}

function keyMessage(issue: Issue & { code: "invalid_key" }): string {
  const inner = issue.issues[0];
  const error = inner?.message ?? "Field '{field}' is not valid.";
  return error.replace("Field '{field}'", "The key '{field}'");
}

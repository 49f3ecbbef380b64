import { ScimError } from "./scim-error.ts";

const OPERATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof OPERATORS)[number];

export type FilterValue = string | number | boolean | null;

/** A filter as it is written; the names in it are not looked up. */
export type Filter =
  | { kind: "and" | "or"; parts: readonly Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "present"; path: string }
  | { kind: "compare"; path: string; operator: Operator; value: FilterValue }
  /** `path[part]`: one value of the attribute meets the part. */
  | { kind: "any"; path: string; part: Filter };

/** A path of PATCH: `name.familyName`, `emails[type eq "work"].value`. */
export interface PatchPath {
  path: string;
  filter: Filter | null;
  /** The sub-attribute after a filter. */
  sub: string | null;
}

const MAX_LENGTH = 4_096;
const MAX_DEPTH = 20;
const MAX_TERMS = 100;

const TOKEN =
  /[ \t]*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.:$-])|(\.?[A-Za-z$][\w$:.-]*))/uy;

/**
 * Parses a filter of RFC 7644, section 3.4.2.2, and `emails[type eq "work"].value eq "x"`, which Microsoft
 * Entra ID sends. Names and operators may have any case, as may `true` and `false`.
 *
 * @throws ScimError invalidFilter, also for one that has over 4,096 characters, 100 terms or 20 levels.
 */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, "invalidFilter");
  const filter = parser.either();
  parser.end();
  return filter;
}

/** Parses a path of PATCH. @throws ScimError invalidPath */
export function parsePatchPath(text: string): PatchPath {
  const parser = new Parser(text, "invalidPath");
  const path = parser.name();
  if (!parser.takes("[")) {
    parser.end();
    return { path, filter: null, sub: null };
  }
  const filter = parser.either();
  parser.expect("]");
  const sub = parser.subAttribute();
  parser.end();
  return { path, filter, sub };
}

/** A parser by recursive descent: `or` binds less than `and`, which binds less than `not`. */
class Parser {
  readonly #text: string;
  readonly #fault: "invalidFilter" | "invalidPath";
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;
  #terms = 0;

  constructor(text: string, fault: "invalidFilter" | "invalidPath") {
    this.#text = text;
    this.#fault = fault;
    if (text.length > MAX_LENGTH) throw this.#error(`It has more than ${MAX_LENGTH} characters.`);
    this.#tokens = this.#tokenized();
  }

  #tokenized(): string[] {
    const tokens: string[] = [];
    const text = this.#text.trimEnd();
    TOKEN.lastIndex = 0;
    for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
      const match = TOKEN.exec(text);
      if (match === null) throw this.#error(`The text at character ${at + 1} is not understood.`);
      tokens.push(match[0].trimStart());
    }
    return tokens;
  }

  either(): Filter {
    return this.#joined("or", () => this.#joined("and", () => this.#term()));
  }

  #joined(kind: "and" | "or", next: () => Filter): Filter {
    const parts = [next()];
    while (this.takes(kind)) parts.push(next());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind, parts };
  }

  #term(): Filter {
    this.#terms += 1;
    if (this.#terms > MAX_TERMS) throw this.#error(`It has more than ${MAX_TERMS} terms.`);
    if (this.takes("not")) {
      this.expect("(");
      return { kind: "not", part: this.#nested(")") };
    }
    if (this.takes("(")) return this.#nested(")");
    const path = this.name();
    if (!this.takes("[")) return this.#comparison(path);
    const part = this.#nested("]");
    const sub = this.subAttribute();
    if (sub === null) return { kind: "any", path, part };
    return { kind: "any", path, part: { kind: "and", parts: [part, this.#comparison(sub)] } };
  }

  #nested(end: ")" | "]"): Filter {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#error(`It is nested deeper than ${MAX_DEPTH} levels.`);
    const inner = this.either();
    this.expect(end);
    this.#depth -= 1;
    return inner;
  }

  #comparison(path: string): Filter {
    const word = this.#next().toLowerCase();
    if (word === "pr") return { kind: "present", path };
    const operator = OPERATORS.find((known) => known === word);
    if (operator === undefined) throw this.#error(`'${word.slice(0, 50)}' is not an operator.`);
    return { kind: "compare", path, operator, value: this.#value() };
  }

  #value(): FilterValue {
    const token = this.#next();
    const text = /^(?:true|false|null)$/i.test(token) ? token.toLowerCase() : token;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed()))
        throw this.#error("Its text has characters that no attribute has.");
      if (typeof value !== "object" || value === null) return value as FilterValue;
    } catch (error) {
      if (error instanceof ScimError) throw error;
    }
    throw this.#error(`'${token.slice(0, 50)}' is not a value.`);
  }

  /** Takes the name of an attribute. */
  name(): string {
    const token = this.#next();
    if (!/^[A-Za-z$]/.test(token)) throw this.#error(`'${token.slice(0, 50)}' is not an attribute.`);
    return token;
  }

  /** Takes `.name`; returns null when something else follows. */
  subAttribute(): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !token.startsWith(".")) return null;
    this.#at += 1;
    return token.slice(1);
  }

  takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.#error(`'${word}' is missing.`);
  }

  end(): void {
    const token = this.#tokens[this.#at];
    if (token !== undefined) throw this.#error(`'${token.slice(0, 50)}' is one part too many.`);
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw this.#error("It ends too early.");
    this.#at += 1;
    return token;
  }

  #error(message: string): ScimError {
    return new ScimError(
      this.#fault,
      `The ${this.#fault === "invalidPath" ? "path" : "filter"} is not valid. ${message}`,
    );
  }
}

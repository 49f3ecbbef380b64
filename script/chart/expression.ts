/** The content of an action between `{{` and `}}`, in the subset that the chart uses. */
export type Expression =
  | { kind: "literal"; value: string | number | boolean }
  /**
   * A field such as `.Values.image`, `$.Values.image` or `$role`: from the dot (""), the root ("$") or a
   * variable.
   */
  | { kind: "field"; from: string; path: readonly string[] }
  | { kind: "call"; name: string; words: readonly Expression[] };

const TOKEN =
  /\s*("(?:[^"\\]|\\.)*"|-?\d+(?![\w.])|\||\(|\)|\$?[A-Za-z_]\w*(?:\.\w+)*|\$(?:\.\w+)*|\.(?:\w+(?:\.\w+)*)?)/y;

/** Parses an expression. @throws an error that names syntax outside the supported subset. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const parsed = parser.pipeline();
  if (parser.next !== undefined) throw new Error(`'${parser.next}' is out of place in '${text}'`);
  return parsed;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let end = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    tokens.push(match[1] ?? "");
    end = TOKEN.lastIndex;
  }
  if (text.slice(end).trim() !== "") throw new Error(`'${text.slice(end).trim()}' is not known`);
  return tokens;
}

class Parser {
  readonly #tokens: string[];

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  get next(): string | undefined {
    return this.#tokens[0];
  }

  /** Parses `a | f b`: the value left of a bar is the last argument of the call right of it. */
  pipeline(): Expression {
    let left = this.#command();
    while (this.next === "|") {
      this.#tokens.shift();
      const right = this.#command();
      if (right.kind !== "call") throw new Error("only a function can follow '|'");
      left = { ...right, words: [...right.words, left] };
    }
    return left;
  }

  #command(): Expression {
    const first = this.#word();
    const words: Expression[] = [];
    while (this.next !== undefined && this.next !== "|" && this.next !== ")") words.push(this.#word());
    if (words.length === 0) return first;
    if (first.kind !== "call") throw new Error("only a function takes words");
    return { ...first, words };
  }

  #word(): Expression {
    const token = this.#tokens.shift();
    if (token === undefined || token === "|" || token === ")")
      throw new Error(`'${token ?? "}}"}' comes too soon`);
    if (token === "(") return this.#inner();
    if (token === "true" || token === "false") return { kind: "literal", value: token === "true" };
    if (/^["\d-]/.test(token)) return { kind: "literal", value: JSON.parse(token) as string | number };
    const [from = "", ...path] = token.split(".");
    if (from === "" || from.startsWith("$"))
      return { kind: "field", from, path: path.filter((name) => name !== "") };
    if (path.length > 0) throw new Error(`'${token}' is not known`);
    return { kind: "call", name: from, words: [] };
  }

  #inner(): Expression {
    const inner = this.pipeline();
    if (this.#tokens.shift() !== ")") throw new Error("a ')' is missing");
    return inner;
  }
}

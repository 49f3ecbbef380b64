import { type Expression, parseExpression } from "./expression.ts";

export type Node =
  | { kind: "text"; text: string }
  | { kind: "print"; of: Expression }
  | { kind: "set"; name: string; of: Expression }
  /** Takes the first branch whose condition holds; an `else` has no condition. */
  | { kind: "if"; branches: readonly { of: Expression | null; body: readonly Node[] }[] }
  | { kind: "with"; of: Expression; body: readonly Node[] }
  | { kind: "range"; names: readonly string[]; of: Expression; body: readonly Node[] };

export interface Template {
  body: readonly Node[];
  /** The named templates that the file defines. */
  defined: ReadonlyMap<string, readonly Node[]>;
}

type Piece = { text: string } | { action: string };

const ACTION = /(\s*\{\{- |\{\{)\s*(\/\*[\s\S]*?\*\/|[\s\S]*?)\s*( -\}\}\s*|\}\})/g;
const ASSIGNMENT = /^(\$\w+)\s*:=\s*([\s\S]+)$/;
const RANGE = /^(?:(\$\w+)(?:\s*,\s*(\$\w+))?\s*:=\s*)?([\s\S]+)$/;

/** Parses a template of the chart. @throws an error that names syntax outside the supported subset. */
export function parseTemplate(text: string): Template {
  const parser = new Parser(piecesOf(text));
  const body = parser.body([]);
  return { body, defined: parser.defined };
}

/** Splits a template into texts and actions, in order and without comments. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(ACTION)) {
    pieces.push({ text: text.slice(end, match.index) });
    if (match[2]?.startsWith("/*") === false) pieces.push({ action: match[2] });
    end = match.index + match[0].length;
  }
  const rest = text.slice(end);
  if (/\{\{|\}\}/.test(rest)) throw new Error("an action does not end");
  return [...pieces, { text: rest }];
}

class Parser {
  readonly defined = new Map<string, readonly Node[]>();
  readonly #pieces: Piece[];

  constructor(pieces: Piece[]) {
    this.#pieces = pieces;
  }

  /**
   * Parses up to an action that begins with one of the words, or else to the end. That action remains the
   * next piece.
   */
  body(ends: readonly string[]): Node[] {
    const nodes: Node[] = [];
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      if ("action" in piece && ends.includes(wordOf(piece.action))) return nodes;
      this.#pieces.shift();
      const node =
        "text" in piece ? ({ kind: "text", text: piece.text } as const) : this.#action(piece.action);
      if (node !== null) nodes.push(node);
    }
    if (ends.length > 0) throw new Error(`an {{ ${ends.at(-1)} }} is missing`);
    return nodes;
  }

  #action(action: string): Node | null {
    const [word, rest] = [wordOf(action), action.slice(wordOf(action).length).trim()];
    if (word === "define") return this.#define(rest);
    if (word === "if") return { kind: "if", branches: this.#branches(rest) };
    if (word === "with") return { kind: "with", of: parseExpression(rest), body: this.#block() };
    if (word === "range") {
      const [, first, second, of = ""] = RANGE.exec(rest) ?? [];
      const names = [first, second].filter((name) => name !== undefined);
      return { kind: "range", names, of: parseExpression(of), body: this.#block() };
    }
    if (["else", "end", "template", "block", "break", "continue"].includes(word))
      throw new Error(`{{ ${action} }} is out of place, or not known`);
    const [, name, value = ""] = ASSIGNMENT.exec(action) ?? [];
    return name === undefined
      ? { kind: "print", of: parseExpression(action) }
      : { kind: "set", name, of: parseExpression(value) };
  }

  #define(quoted: string): null {
    this.defined.set(JSON.parse(quoted) as string, this.#block());
    return null;
  }

  #branches(condition: string): { of: Expression | null; body: Node[] }[] {
    const body = this.body(["else", "end"]);
    const branches: { of: Expression | null; body: Node[] }[] = [{ of: parseExpression(condition), body }];
    const action = this.#shift();
    if (action === "end") return branches;
    if (action === "else") return [...branches, { of: null, body: this.#block() }];
    const [, next] = /^else\s+if\s+([\s\S]+)$/.exec(action) ?? [];
    if (next === undefined) throw new Error(`{{ ${action} }} is not known`);
    return [...branches, ...this.#branches(next)];
  }

  #block(): Node[] {
    const body = this.body(["end"]);
    this.#shift();
    return body;
  }

  #shift(): string {
    const piece = this.#pieces.shift();
    return piece !== undefined && "action" in piece ? piece.action : "";
  }
}

function wordOf(action: string): string {
  return /^\w*/.exec(action)?.[0] ?? "";
}

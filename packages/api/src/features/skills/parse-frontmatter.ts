import { type CST, type Document, isMap, isScalar, LineCounter, Parser, parseDocument } from "yaml";

/** Maximum depth of nested mappings and lists. */
const MAX_DEPTH = 32;

export interface Frontmatter {
  value: unknown;
  /** Line of each field, from 1. */
  lines: ReadonlyMap<string, number>;
}

/** A fault; `reason` is a predicate whose subject is the frontmatter or that line. */
export interface FrontmatterFault {
  /** Line from 1; null if the fault has no line. */
  line: number | null;
  reason: string;
}

/**
 * Parses untrusted YAML in time proportional to its length. Unquoted text may contain YAML syntax, such as `:
 * `, as other clients of the format allow. Other invalid syntax, aliases, deep nesting and repeated fields
 * are faults.
 */
export function parseFrontmatter(text: string): Frontmatter | FrontmatterFault {
  const given = compose(text);
  return "reason" in given ? compose(quotePlainValues(text)) : given;
}

function compose(text: string): Frontmatter | FrontmatterFault {
  // The library composes recursively, and `uniqueKeys` would compare each key of a mapping with all earlier
  // ones.
  if (isDeep(text)) return { line: null, reason: `is nested deeper than ${MAX_DEPTH} levels` };
  const lineCounter = new LineCounter();
  const options = {
    schema: "core",
    uniqueKeys: false,
    logLevel: "error",
    prettyErrors: false,
    lineCounter,
  } as const;
  try {
    const document = parseDocument(text, options);
    const [error] = document.errors;
    if (error !== undefined) {
      const reason = `is not valid YAML: ${error.message.replace(/\.$/, "")}`;
      return { line: lineCounter.linePos(error.pos[0]).line, reason };
    }
    const lines = linesOf(document, lineCounter);
    if ("reason" in lines) return lines;
    return { value: document.toJS({ maxAliasCount: 0 }), lines };
  } catch {
    return { line: null, reason: "has an alias, or is not valid YAML" };
  }
}

function linesOf(
  { contents }: Document,
  lineCounter: LineCounter,
): ReadonlyMap<string, number> | FrontmatterFault {
  const lines = new Map<string, number>();
  for (const { key } of isMap(contents) ? contents.items : []) {
    if (!isScalar(key)) continue;
    const { line } = lineCounter.linePos(key.range?.[0] ?? 0);
    const name = String(key.value);
    if (lines.has(name)) return { line, reason: `gives the field '${name.slice(0, 100)}' twice` };
    lines.set(name, line);
  }
  return lines;
}

/** Returns whether the syntax tree is too deep, level by level, before composing anything. */
function isDeep(text: string): boolean {
  let level: CST.Token[] = [...new Parser().parse(text)];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(insideOf);
  }
  return false;
}

function insideOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part != null));
}

const FIELD = /^([A-Za-z_][\w-]*):[ \t]+(.*)$/;
/** Start of a value that is not plain: quoted, block, list, mapping, comment, tag, anchor or alias. */
const NOT_PLAIN = /^(?:["'|>[{#!&*]|-\s|$)/;

/**
 * Quotes the plain texts of a mapping's fields, with their continuation lines, so that nothing in them is
 * syntax. Lines keep their numbers.
 */
function quotePlainValues(text: string): string {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, first = ""] = FIELD.exec(lines[at] ?? "") ?? [];
    if (name === undefined || NOT_PLAIN.test(first)) continue;
    const end = endOfText(lines, at + 1);
    const value = [first, ...lines.slice(at + 1, end)].map((line) => line.trim()).join(" ");
    lines[at] = `${name}: ${JSON.stringify(value.trim())}`;
    lines.fill("", at + 1, end);
  }
  return lines.join("\n");
}

/** Returns the index of the first line from `from` on that is not indented. */
function endOfText(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, index) => index >= from && !/^[ \t]+\S/.test(line));
  return end < 0 ? lines.length : end;
}

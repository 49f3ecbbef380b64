export type NamedType = { name: string; type: string };

/**
 * Replaces object types that are printed inside another type by their names, where the text is the same
 * except for indentation. A union is replaced only in parentheses: without them, what follows may bind only
 * to its last member.
 */
export function withNames(text: string, types: readonly NamedType[]): string {
  const patterns = types
    .map(({ name, type }) => ({ name, type: flat(type) }))
    .filter(({ type }) => type.includes("\n"))
    .map(({ name, type }) => ({ name, type: isOneObject(type) ? type : `(${type})` }))
    .sort((a, b) => b.type.length - a.type.length);
  const replaced = patterns.reduce((rest, { name, type }) => rest.replaceAll(type, name), flat(text));
  return indented(replaced);
}

function flat(text: string): string {
  return text.replaceAll(/^ +/gm, "");
}

function isOneObject(text: string): boolean {
  const lines = indented(text).split("\n");
  return lines[0] === "{" && lines.slice(1, -1).every((line) => line.startsWith(" ")) && lines.at(-1) === "}";
}

function indented(text: string): string {
  let depth = 0;
  return text
    .split("\n")
    .map((line) => {
      if (/^[})\]]/.test(line)) depth -= 1;
      const indentation = "  ".repeat(depth);
      if (/[{([]$/.test(line)) depth += 1;
      return indentation + line;
    })
    .join("\n");
}

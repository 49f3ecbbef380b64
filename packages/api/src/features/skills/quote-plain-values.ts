const FIELD = /^([A-Za-z_][\w-]*):[ \t]+(.*)$/;
/** Start of a value that is not plain: quoted, block, list, mapping, comment, tag, anchor or alias. */
const NOT_PLAIN = /^(?:["'|>[{#!&*]|-\s|$)/;

/**
 * Quotes the plain texts of a mapping's fields, with their continuation lines, so that nothing in them is
 * syntax. Lines keep their numbers.
 */
export function quotePlainValues(text: string): string {
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

const FIELD = /^([A-Za-z_][\w-]*):[ \t]+(.*)$/;
/** What begins a value that is no plain text: a quoted or block text, a list, a mapping, a comment, a tag, an anchor, an alias. */
const NOT_PLAIN = /^(?:["'|>[{#!&*]|-\s|$)/;

/**
 * Puts the plain texts of a mapping's fields into quotes, with the lines that go on with them, so that nothing in them is syntax. Lines keep
 * their numbers.
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

/** The first line from `from` on that is not indented. */
function endOfText(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, index) => index >= from && !/^[ \t]+\S/.test(line));
  return end < 0 ? lines.length : end;
}

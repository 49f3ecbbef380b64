/** A Markdown text and the YAML between two lines of dashes at its beginning; null where it has none. */
export function splitFrontMatter(text: string): { matter: string | null; body: string } {
  const found = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) return { matter: null, body: text };
  return { matter: (found[1] ?? "").trimEnd(), body: text.slice(found[0].length) };
}

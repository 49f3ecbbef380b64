/** Splits a Markdown text into its YAML front matter, null if it has none, and the rest. */
export function splitFrontMatter(text: string): { matter: string | null; body: string } {
  const found = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) return { matter: null, body: text };
  return { matter: (found[1] ?? "").trimEnd(), body: text.slice(found[0].length) };
}

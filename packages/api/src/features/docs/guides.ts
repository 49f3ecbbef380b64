import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Asset } from "./asset.ts";
import { Html, html } from "./html.ts";
import { textPage } from "./pages.ts";

const DIRECTORY = join(import.meta.dirname, "../../../../../docs/guides");

export interface Guide {
  /** Last segment of the guide's path: `files` for `files.md`. */
  name: string;
  title: string;
  page: Asset;
}

/** Reads and renders every guide. */
export function readGuides(): Guide[] {
  const names = readdirSync(DIRECTORY).filter((file) => file.endsWith(".md"));
  return names.toSorted().map((file) => {
    const text = readFileSync(join(DIRECTORY, file), "utf8");
    const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
    return { name: file.slice(0, -".md".length), title, page: textPage(`${title} – Berth`, guideHtml(text)) };
  });
}

/** Returns the page that lists the guides. */
export function guideList(guides: readonly Guide[]): Asset {
  const items = guides.map(({ name, title }) => html`<li><a href="/docs/guides/${name}">${title}</a></li>`);
  return textPage("Guides – Berth", html`<h1>Guides</h1><ul>${items}</ul>`);
}

/** Renders a guide's Markdown as HTML. HTML in the text is shown, not interpreted. */
export function guideHtml(text: string): Html {
  const ids = new Set<string>();
  const marked = new Marked({
    async: false,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => html`${text}`.text,
      image: ({ text }) => html`${text}`.text,
      heading({ tokens, depth, text }) {
        const id = freshId(text, ids);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = new Html(this.parser.parseInline(tokens));
        const target = targetOf(href);
        return target === null ? inner.text : html`<a href="${target}">${inner}</a>`.text;
      },
    },
  });
  return new Html(marked.parse(text) as string);
}

/** Returns the path on this service to which a guide's link leads; null for a file that is not served. */
function targetOf(href: string): string | null {
  if (/^(https:|http:|#|\/)/.test(href)) return href;
  const [, name, fragment = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name === undefined ? null : `/docs/guides/${name}${fragment}`;
}

/** Returns a heading's id as GitHub makes it: lower case with hyphens, numbered when repeated. */
function freshId(heading: string, taken: Set<string>): string {
  const base = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  const numbers = Array.from({ length: taken.size + 1 }, (_, number) => number);
  const id = numbers
    .map((number) => (number === 0 ? base : `${base}-${number}`))
    .find((one) => !taken.has(one));
  taken.add(id ?? base);
  return id ?? base;
}

import type { HighlighterCore, LanguageRegistration } from "shiki/core";
import type { Token } from "../format/line-pieces.ts";

/** Characters above which code stays plain, since highlighting would block the page. */
const MAX_LENGTH = 60_000;

const LANGUAGES: Record<string, () => Promise<{ default: LanguageRegistration[] }>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const ALIASES: Record<string, string> = {
  cjs: "javascript",
  cc: "c",
  cpp: "c",
  dockerfile: "docker",
  h: "c",
  hpp: "c",
  htm: "html",
  js: "javascript",
  jsonc: "json",
  jsonl: "json",
  jsx: "tsx",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  patch: "diff",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** Returns the language of a file name or of a code block's tag; null if there is no highlighter for it. */
export function languageOf(nameOrPath: string): string | null {
  const word = (nameOrPath.split("/").at(-1) ?? "").split(".").at(-1)?.toLowerCase() ?? "";
  const language = ALIASES[word] ?? word;
  return language in LANGUAGES ? language : null;
}

/** Returns the tokens of each line; null when the code is too long to highlight. */
export async function highlight(code: string, language: string): Promise<Token[][] | null> {
  if (code.length > MAX_LENGTH) return null;
  const highlighter = await loaded(language);
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: "names",
    tokenizeMaxLineLength: 2_000,
    // 0 means no limit. After the default of half a second, which a slow machine spends on loading the
    // language, the rest of a line would stay plain.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) =>
    line.map(({ content, color = "" }) => ({ text: content, name: NAMES[color] ?? null })),
  );
}

let core: Promise<HighlighterCore> | null = null;
const languages = new Map<string, Promise<void>>();

async function loaded(language: string): Promise<HighlighterCore> {
  core ??= createCore();
  const highlighter = await core;
  const load = LANGUAGES[language];
  if (load !== undefined && !languages.has(language))
    languages.set(
      language,
      load().then((module) => highlighter.loadLanguage(module.default)),
    );
  await languages.get(language);
  return highlighter;
}

/**
 * Placeholder colours of the theme. Each stands for a class, because the page's content security policy
 * forbids inline styles.
 */
const COLORS = {
  keyword: "#000001",
  string: "#000002",
  number: "#000003",
  function: "#000004",
  comment: "#000005",
  type: "#000006",
  punctuation: "#000007",
} as const;

const NAMES: Record<string, string> = Object.fromEntries(
  Object.entries(COLORS).map(([name, color]) => [color, name]),
);

const SCOPES: Record<keyof typeof COLORS, string[]> = {
  comment: ["comment", "punctuation.definition.comment"],
  string: ["string", "markup.inline.raw", "markup.inserted"],
  number: ["constant", "support.constant", "markup.changed"],
  keyword: ["keyword", "storage", "markup.deleted", "markup.heading"],
  function: ["entity.name.function", "support.function", "variable.function"],
  type: [
    "entity.name.type",
    "entity.name.class",
    "support.type",
    "support.class",
    "entity.name.tag",
    "entity.other.attribute-name",
  ],
  punctuation: ["punctuation", "keyword.operator"],
};

async function createCore(): Promise<HighlighterCore> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  const settings = Object.entries(SCOPES).map(([name, scope]) => ({
    scope,
    settings: { foreground: COLORS[name as keyof typeof COLORS] },
  }));
  const theme = { name: "names", type: "light" as const, fg: "#ffffff", bg: "#ffffff", settings };
  return await createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

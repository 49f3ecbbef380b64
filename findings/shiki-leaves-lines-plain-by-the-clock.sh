#!/bin/sh
# shiki 4.6.0 (@shikijs/vscode-textmate): which tokens a line has depends on how fast the machine is.
#
# `tokenizeTimeLimit` is 500 ms a line unless it is given, and the time begins before the patterns of the language are prepared, which the
# first lines pay for: with the JavaScript engine that is most of it. When it is over, the rest of the line is one plain token. Nothing
# rejects or warns, and the result is not marked, so that a page which keeps it shows the line without colours for good. One would expect
# tokens to be a function of code, language and theme. 0 means no limit.
#
# Seen, for `return name;` in JavaScript, by a clock of which each look is a second later than the one before:
#   default: ["return name;"]
#   no limit: ["return"," name",";"]
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . shiki@4.6.0 >/dev/null
cat >show.mjs <<'PROGRAM'
import { createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import javascript from "shiki/langs/javascript.mjs";

const theme = { name: "one", type: "light", fg: "#000000", bg: "#ffffff", settings: [{ scope: "keyword", settings: { foreground: "#0000ff" } }, { scope: "punctuation", settings: { foreground: "#00ff00" } }] };
const engine = createJavaScriptRegexEngine({ forgiving: true });
const highlighter = await createHighlighterCore({ themes: [theme], langs: [javascript], engine });
let now = 0;
Date.now = () => (now += 1_000);
const tokens = (options) => {
  const [line] = highlighter.codeToTokens("return name;", { lang: "javascript", theme: "one", ...options }).tokens;
  return JSON.stringify(line.map(({ content }) => content));
};
console.log(`default: ${tokens({})}`);
console.log(`no limit: ${tokens({ tokenizeTimeLimit: 0 })}`);
PROGRAM
seen=$(node show.mjs 2>/dev/null)
echo "$seen"
test "$seen" = 'default: ["return name;"]
no limit: ["return"," name",";"]'

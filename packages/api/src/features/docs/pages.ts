import { Asset } from "./asset.ts";
import { type Html, html } from "./html.ts";

/** Returns a page of text in the style of the documentation, without scripts. */
export function textPage(title: string, body: Html): Asset {
  return new Asset("text/html; charset=utf-8", page(title, html`${navigation}<main>${body}</main>`));
}

/** Returns the page on which the viewer runs. Only styles with the nonce apply. */
export function referencePage(nonce: string, scripts: readonly string[]): string {
  const body = html`<div id="reference"></div>
<noscript>The reference needs JavaScript. It is also available as a document:  <a href="/openapi.json">openapi.json</a>.</noscript>
${scripts.map((script) => html`<script nonce="${nonce}" src="/docs/assets/${script}"></script>\n`)}`;
  return page("Berth API", body, html`<meta property="csp-nonce" content="${nonce}">`);
}

const navigation = html`<nav><p><a href="/">Berth</a></p><p><a href="/docs">API reference</a></p><p><a href="/docs/guides">Guides</a></p></nav>`;

function page(title: string, body: Html, head: Html | null = null): string {
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head ?? html`<link rel="stylesheet" href="/docs/style.css">`}
</head>
<body>
${body}
</body>
</html>
`;
  return whole.text;
}

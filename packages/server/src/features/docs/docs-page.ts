import { type Html, html, prose } from "./html.ts";
import { operationHtml } from "./operation-html.ts";
import { fieldsHtml, type Schema, typeHtml } from "./schema-html.ts";

/** The API reference as one page without scripts, from the OpenAPI document. */
export function docsPage(document: Schema): string {
  const operations = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = (document.tags as { name: string }[]).map(({ name }) => ({
    name,
    title: titleOf(name),
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav><p><a href="#top">Berth API</a></p>${tags.map(
    ({ title, operations }) =>
      html`<details><summary>${title}</summary><ul>${operations.map(
        ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
      )}</ul></details>`,
  )}<p><a href="#schemas">Objects</a></p></nav>
<main id="top">
${introduction}
${tags.map(
  ({ name, title, operations }) =>
    html`<h2 id="${name}">${title}</h2>${operations.map(({ method, path, operation }) => operationHtml(method, path, operation))}`,
)}
<h2 id="schemas">Objects</h2>
${Object.entries(document.components.schemas as Record<string, Schema>).map(([name, schema]) => schemaHtml(name, schema))}
</main>
</body>
</html>
`;
  return page.text;
}

const introduction: Html = html`<h1>Berth API</h1>
<p>Every request carries <code>Authorization: Bearer TOKEN</code>, with a token of <code>berth token create</code>. The
examples are for a shell in which <code>BERTH_URL</code> (the address of this page without <code>/docs</code>),
<code>BERTH_TOKEN</code> and the ids in them are set.
The machine-readable document: <a href="/openapi.json">openapi.json</a>.</p>
<p>${prose(
  'Lists are newest first unless they say otherwise, with `limit` objects on a page (1 to 100, default 20). Pass `next_page` of a response as `page` of the next request. `POST` and `DELETE` accept an `Idempotency-Key`: for 24 hours, the same key with the same request returns the first response again. Errors are `{type: "error", request_id, error: {type, message, param?}}`: branch on `error.type`, and retry only responses with 5xx.',
)}</p>`;

function schemaHtml(name: string, schema: Schema): Html {
  return html`<section id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${fieldsHtml(schema) ?? html`<p>${typeHtml(schema)}</p>`}</section>`;
}

/** `vaultCredentials` is "Vault credentials". */
function titleOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

import { type Html, html, prose } from "./html.ts";
import { fieldsHtml, type Schema, typeHtml } from "./schema-html.ts";

/** One operation: its description, input, responses, and an example call. */
export function operationHtml(method: string, path: string, operation: Schema): Html {
  return html`<section id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
<p class="call"><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code>${operation["x-scope"] === undefined ? null : html` <span class="scope">scope <code>${operation["x-scope"]}</code></span>`}</p>
${operation.description === undefined ? null : html`<p>${prose(operation.description)}</p>`}
${parametersHtml(operation.parameters ?? [])}
${bodyHtml(operation.requestBody)}
${responsesHtml(operation.responses)}
${(operation["x-codeSamples"] ?? []).map((sample: Schema) => html`<pre>${sample.source}</pre>`)}
</section>`;
}

function parametersHtml(parameters: readonly Schema[]): Html | null {
  const shown = parameters.filter(
    (parameter) => parameter.in !== "path" && parameter.name !== "Idempotency-Key",
  );
  if (shown.length === 0) return null;
  const rows = shown.map(
    ({ name, required, schema, description = "" }) =>
      html`<tr><td><code>${name}</code>${required ? html`<span class="required">required</span>` : null}</td><td>${typeHtml(schema)}</td><td>${prose(description)}</td></tr>`,
  );
  return html`<h4>Query and headers</h4><table><tbody>${rows}</tbody></table>`;
}

function bodyHtml(body: Schema | undefined): Html | null {
  if (body === undefined) return null;
  const contents = Object.entries(body.content as Record<string, Schema>);
  return html`${contents.map(([type, { schema }]) => html`<h4>Body <small>${type}</small></h4>${fieldsHtml(schema) ?? html`<p>${typeHtml(schema)}</p>`}`)}`;
}

function responsesHtml(responses: Record<string, Schema>): Html {
  const sections = Object.entries(responses).flatMap(([status, { content, description }]) => {
    const [first] = Object.entries((content ?? {}) as Record<string, Schema>);
    if (Number(status) < 300 && first !== undefined) {
      const [type, { schema }] = first;
      return [
        html`<h4>Response ${status} <small>${type}</small></h4><p>${typeHtml(schema)}</p>${fieldsHtml(schema)}`,
      ];
    }
    return status === "409" ? [html`<p><b>409</b> ${prose(description)}</p>`] : [];
  });
  return html`${sections}`;
}

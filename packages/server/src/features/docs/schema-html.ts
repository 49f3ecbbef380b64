import { type Html, html, prose } from "./html.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON schema, read as it comes
export type Schema = Record<string, any>;

/** The type of a value in a few words: its name, its choices, or a link to its object. */
export function typeHtml(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = String(schema.$ref).split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if ("const" in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(schema.enum.map((value: unknown) => html`<code>${JSON.stringify(value)}</code>`));
  const choices: Schema[] | undefined = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return joined(choices.map(choiceHtml));
  if (schema.type === "array") return html`list of ${typeHtml(schema.items ?? {})}`;
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => html`${type}`));
  return html`${schema.format === "date-time" ? "timestamp" : (schema.type ?? "any")}`;
}

/** An object among several choices is shown by the constant that distinguishes it. */
function choiceHtml(schema: Schema): Html {
  const kind = schema.properties?.type?.const;
  return kind === undefined ? typeHtml(schema) : html`<code>{"type": "${kind}"}</code>`;
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html` | ${part}`))}`;
}

/** The fields of an object, with nested ones in a fold; for a choice among objects, of each. */
export function fieldsHtml(schema: Schema): Html | null {
  const objects = objectsOf(schema);
  if (objects.length === 0) return null;
  return html`${objects.map((object) => tableHtml(object))}`;
}

function tableHtml({ properties = {}, required = [] }: Schema): Html {
  const rows = Object.entries(properties as Record<string, Schema>).map(
    ([
      name,
      field,
    ]) => html`<tr><td><code>${name}</code>${required.includes(name) ? html`<span class="required">required</span>` : null}</td>
<td>${typeHtml(field)}</td><td>${[...limits(field), field.description ?? ""].filter(Boolean).map((text) => html`${prose(text)} `)}${foldHtml(field)}</td></tr>`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

function foldHtml(field: Schema): Html | null {
  const below = fieldsHtml(field);
  return below === null ? null : html`<details><summary>fields</summary>${below}</details>`;
}

/** The objects that a value may be, except those that have a section of their own. */
function objectsOf(schema: Schema): Schema[] {
  if (schema.$ref !== undefined) return [];
  if (schema.properties !== undefined) return [schema];
  if (schema.type === "array") return objectsOf(schema.items ?? {});
  return ((schema.oneOf ?? schema.anyOf ?? []) as Schema[]).flatMap(objectsOf);
}

function limits({ minLength, maxLength, minimum, maximum, maxItems, default: preset }: Schema): string[] {
  const within = (what: string, low: number | undefined, high: number | undefined) =>
    high === undefined || high >= Number.MAX_SAFE_INTEGER ? [] : [`${low ?? 0} to ${high} ${what}.`];
  return [
    ...within("characters", minLength, maxLength),
    ...within("", minimum, maximum).map((text) => text.replace(" .", ".")),
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(preset === undefined ? [] : [`Default \`${JSON.stringify(preset)}\`.`]),
  ];
}

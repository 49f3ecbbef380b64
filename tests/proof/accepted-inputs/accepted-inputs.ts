import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Lists everything that users can set: settings, fields of bodies, query parameters, headers, flags, and keys
 * of files.
 */

const ROOT = join(import.meta.dirname, "../../..");

/** Returns the sorted names of all inputs, without those that have fields of their own in the list. */
export function acceptedInputs(): string[] {
  const inputs = [...settings(), ...requestInputs(), ...flags(), ...modelsFileKeys(), ...applyKinds()];
  const unique = [...new Set(inputs.map((input) => input.replace(/(\[\])+$/, "").trim()))].toSorted();
  return unique.filter((input) => !unique.some((other) => isWithin(other, input)));
}

/** Whether `field` is a part of `input`, which is then covered by its fields. */
function isWithin(field: string, input: string): boolean {
  return field.startsWith(input) && /^[.[<]/.test(field.slice(input.length));
}

function settings(): string[] {
  const table = read("packages/server/src/config/settings.ts");
  const variables = [
    ...(table + read("packages/server/src/config/unknown-variables.ts")).matchAll(/"(BERTH_[A-Z_]+)"/g),
  ];
  const secrets = [...table.matchAll(/^ {4}variable: "(\w+)"(?:(?!\n {2}\}).)*\n {4}secret: true/gms)];
  return [...variables.map(([, name]) => name), ...secrets.map(([, name]) => `${name}_FILE`)].map(
    (name) => `setting ${name}`,
  );
}

/** Returns the options of commands, without those that all API operations share. */
function flags(): string[] {
  return globSync("packages/cli/src/**/*.ts", { cwd: ROOT })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => {
      const options = read(file).matchAll(
        /(?:\.requiredOption|\.option|new Option)\(\s*"(?:-\w, )?(--[a-z-]+)/g,
      );
      const place = file.replace(/^packages\/cli\/src\/(commands\/)?/, "").replace(/(\/command)?\.ts$/, "");
      return [...options].map(([, flag]) => `flag ${place} ${flag}`);
    });
}

function modelsFileKeys(): string[] {
  const source = read("packages/agent/src/models/registry/models-file.ts");
  return [...source.matchAll(/^ {2,4}(\w+): (?:z|url|tokens)\b/gm)].map(([, key]) => `models file ${key}`);
}

function applyKinds(): string[] {
  const [, kinds = ""] =
    /const KINDS = \[(.*?)\]/s.exec(read("packages/cli/src/commands/apply/kinds.ts")) ?? [];
  return [...kinds.matchAll(/"(\w+)"/g)].map(([, kind]) => `apply ${kind}`);
}

interface Schema {
  $ref?: string;
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
}

interface DocumentedOperation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** The parameters that every list has. */
const PAGING = /^(limit|page|before_id|after_id|created_at\[\w+\])$/;

function requestInputs(): string[] {
  const document = JSON.parse(read("packages/contract/openapi.json")) as Document;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap(({ operationId, parameters = [], requestBody }) => {
    const bodies = Object.values(requestBody?.content ?? {});
    const fields = bodies.flatMap(({ schema }) => leaves(document, schema));
    return [
      ...parameters.flatMap((parameter) => parameterName(operationId, parameter)),
      ...fields.map((field) => fieldName(operationId, field)),
    ];
  });
}

function parameterName(operationId: string, { name, in: place }: Parameter): string[] {
  if (place === "path") return [];
  if (place === "header") return [`header ${name.toLowerCase()}`];
  return [PAGING.test(name) && operationId !== "events.stream" ? `list ${name}` : `${operationId} ?${name}`];
}

/**
 * Names a field the same for all operations of a noun. A session's initial events are named like sent ones.
 */
function fieldName(operationId: string, field: string): string {
  const [noun, verb] = operationId.split(".");
  if (field.startsWith("initial_events[]")) return field.replace("initial_events[]", "events events[]");
  return ["create", "update", "send"].includes(verb ?? "") ? `${noun} ${field}` : `${noun}.${verb} ${field}`;
}

/**
 * Returns the paths of fields that have no fields themselves, without the `type` that distinguishes variants.
 */
function leaves(document: Document, given: Schema, within: readonly Schema[] = []): string[] {
  const schema = resolved(document, given);
  if (within.includes(schema)) return [""];
  const inside = [...within, schema];
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    name === "type" && resolved(document, field).const !== undefined
      ? []
      : leaves(document, field, inside).map((rest) => joinedPath(name, rest)),
  );
  const ofVariants = variants.flatMap((variant) => {
    const type = resolved(document, variant).properties?.type?.const;
    return leaves(document, variant, inside).map((path) =>
      type === undefined ? path : `<${type}>${path && "."}${path}`,
    );
  });
  const ofItems =
    schema.items === undefined
      ? []
      : leaves(document, schema.items, inside).map(
          (path) => `[]${path && (path.startsWith("<") ? "" : ".")}${path}`,
        );
  const all = [...own, ...ofVariants, ...ofItems];
  return all.length === 0 ? [""] : [...new Set(all)];
}

function joinedPath(name: string, rest: string): string {
  return rest === "" || rest.startsWith("[") || rest.startsWith("<") ? `${name}${rest}` : `${name}.${rest}`;
}

function resolved(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? schema);
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

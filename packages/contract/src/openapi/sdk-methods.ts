import { z } from "zod";
import { pathParams } from "../operations/command-words.ts";
import { isPlain, type Operation } from "../operations/operation.ts";
import type { AnyRoute } from "../operations/route.ts";
import { routes } from "../schemas/routes.ts";

/** The width at which the formatter breaks lines. */
const WIDTH = 110;

const ERRORS: Readonly<Record<string, string>> = {
  conflict_error: "ConflictError",
  invalid_request_error: "InvalidRequestError",
};

/**
 * Returns the TypeScript of the client's methods: for each noun an interface with a documented method for each
 * operation. Methods that upload or stream are not among them, since they are written by hand.
 */
export function sdkMethods(): string {
  const nouns = Object.keys(routes).map((noun) => ({
    noun,
    name: capitalized(noun),
    methods: methodsOf(noun),
  }));
  const types = nouns.flatMap(({ methods }) => methods.flatMap(({ type }) => type ?? []));
  const taken = new Set(nouns.map(({ name }) => name));
  const imported = [...new Set([...types, "ResponseOf", "routes"])]
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    .map((type) => (taken.has(type) ? `  ${type} as ${type}Object,\n` : `  ${type},\n`));
  const text = nouns.map(({ name, methods }) => {
    const members = methods.map(({ text }) => text).join("");
    return `export interface ${name} {\n${members}}\n`;
  });
  return [
    "// Made from the contract by 'npm run openapi': change the operations there.\n",
    `import type {\n${imported.join("")}} from "@berth/contract";\n`,
    'import type { ApiPromise } from "../transport/api-promise.ts";\n',
    'import type { CallOptions } from "../transport/options.ts";\n',
    'import type { PagedList } from "../transport/page.ts";\n',
    'import type { Body, Query } from "../transport/types.ts";\n\n',
    "type Routes = typeof routes;\n\n",
    "/** The methods of each noun of the contract that call one operation and do no more. */\n",
    `export interface Methods {\n${nouns.map(({ noun, name }) => `  ${noun}: ${name};\n`).join("")}}\n\n`,
    text
      .join("\n")
      .replaceAll(/(?<=ApiPromise<|PagedList<)\w+(?=>)/g, (type) =>
        taken.has(type) ? `${type}Object` : type,
      ),
  ].join("");
}

interface Method {
  text: string;
  /** The contract's type of the response, or of its items, if it has a name. */
  type: string | undefined;
}

function methodsOf(noun: string): Method[] {
  const all = Object.entries<AnyRoute>(routes[noun as keyof typeof routes]);
  return all
    .filter(([, { operation }]) => isPlain(operation))
    .map(([verb, route]) => {
      const { operation } = route;
      const place = `Routes["${noun}"]["${verb}"]`;
      const type = typeNameOf(route);
      const parameters = [
        ...pathParams(operation).map((id) => `${id}: ${id === "version" ? "number | string" : "string"}`),
        ...(operation.body === "json" ? [`body: Body<${place}>`] : []),
        ...(operation.query ? [`query${isRequired(route.query) ? "" : "?"}: Query<${place}>`] : []),
        "options?: CallOptions",
      ];
      const signature = declaration(verb, parameters, resultOf(operation, type ?? `ResponseOf<${place}>`));
      return { type, text: `${documentation(operation)}${signature}` };
    });
}

function resultOf({ responseKind }: Operation, type: string): string {
  if (responseKind === "bytes") return "Promise<Response>";
  return responseKind === "page" ? `PagedList<${type}>` : `ApiPromise<${type}>`;
}

function typeNameOf({ operation, response }: AnyRoute): string | undefined {
  const item =
    operation.responseKind === "page" &&
    response instanceof z.ZodObject &&
    response.shape.data instanceof z.ZodArray
      ? response.shape.data.element
      : response;
  return (item as z.ZodType).meta()?.id;
}

function isRequired(query: z.ZodType): boolean {
  const { required = [] } = z.toJSONSchema(query, { io: "input", unrepresentable: "any" });
  return required.length > 0;
}

/** Returns the summary, the description, and for each error besides those of every operation its condition. */
function documentation(operation: Operation): string {
  const { summary, description, responseKind, conflicts } = operation;
  const unread = "The body of the response is unread: read it with `bytes()`, `text()` or `blob()`.";
  const said = [`${summary}.`, description, responseKind === "bytes" ? unread : undefined];
  const errors = conflicts.map(({ type, when }) => wrapped(`@throws ${ERRORS[type]} ${when}`));
  const lines = [
    wrapped(said.filter((part) => part !== undefined).join(" ")),
    ...errors.flatMap((one, index) => (index === 0 ? [[""], one] : [one])),
  ].flat();
  if (lines.length === 1) return `  /** ${lines[0]} */\n`;
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].map((line) => `  ${line}\n`).join("");
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH - "   * ".length)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Formats a method as the formatter does: on one line, or a line for each parameter. */
function declaration(name: string, parameters: readonly string[], result: string): string {
  const line = `  ${name}(${parameters.join(", ")}): ${result};\n`;
  if (line.length <= WIDTH + 1) return line;
  return `  ${name}(\n${parameters.map((one) => `    ${one},\n`).join("")}  ): ${result};\n`;
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns a key for the order of imported names: each letter's capital comes directly before it. */
function sortKey(name: string): string {
  return [...name].map((letter) => letter.toLowerCase() + Number(letter === letter.toLowerCase())).join("");
}

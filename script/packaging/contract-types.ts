import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import { withNames } from "./with-names.ts";

const CONTRACT = "@berth/contract";

/** Names that are not objects of the API. They are declared below as they are. */
const HELPERS = new Set([
  "AnyRoute",
  "BodyOf",
  "QueryOf",
  "ResponseOf",
  "routes",
  "Page",
  "EventOf",
  "Operation",
]);

const PRELUDE = `
export type { Operation } from "./operations/operation.js";
export interface AnyRoute {
  body: unknown;
  query: unknown;
  response: unknown;
}
export type BodyOf<R extends AnyRoute> = R["body"];
export type QueryOf<R extends AnyRoute> = R["query"];
export type ResponseOf<R extends AnyRoute> = R["response"];
export type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;
`;

/**
 * Returns the contract's types as plain TypeScript without a schema library: each type in `names`, and the
 * input and output of every route. The compiler evaluates the types and prints them as declarations.
 */
export async function contractTypes(root: string, names: readonly string[]): Promise<string> {
  const objects = [...new Set(names)].filter((name) => !HELPERS.has(name)).sort();
  const printed = await printedTypes(root, question(objects));
  const types = objects.map((name) => ({ name, type: printed.get(name) ?? "" }));
  const routes = withNames(printed.get("routes") ?? "", types);
  const page = (printed.get("Page") ?? "").replace('"Item"', "Item");
  const declarations = [
    ...types.map(({ name, type }) => `export type ${name} = ${type};`),
    `export type Page<Item> = ${page};`,
    `export declare const routes: ${routes};`,
  ].join("\n");
  const opaque = /\bany\b|\bimport\(|\.\.\. \d+ more/.exec(declarations);
  if (opaque !== null) throw new Error(`A type of the contract could not be written out: ${opaque[0]}.`);
  return `${PRELUDE}${declarations}\n`;
}

/**
 * Returns a module with a value of each type, since the compiler prints the inferred types of values in full.
 */
function question(objects: readonly string[]): string {
  return `
import type * as contract from "${CONTRACT}";
type Expand<T> = unknown extends T ? T : T extends infer O ? { [K in keyof O]: Expand<O[K]> } : never;
type Routes<Nouns> = { [N in keyof Nouns]: { [V in keyof Nouns[N]]: Nouns[N][V] extends contract.AnyRoute ? {
  body: contract.BodyOf<Nouns[N][V]>; query: contract.QueryOf<Nouns[N][V]>; response: contract.ResponseOf<Nouns[N][V]>;
} : never } };
declare function expand<T>(): Expand<T>;
export const type_routes = expand<Routes<typeof contract.routes>>();
export const type_Page = expand<contract.Page<"Item">>();
${objects.map((name) => `export const type_${name} = expand<contract.${name}>();`).join("\n")}
`;
}

async function printedTypes(root: string, source: string): Promise<Map<string, string>> {
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
  const directory = mkdtempSync(join(root, "node_modules/.cache/contract-types-"));
  try {
    writeFileSync(join(directory, "question.ts"), source);
    const options = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: "out",
    };
    const configuration = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { ...options, noErrorTruncation: true },
      include: [],
      files: ["question.ts"],
    };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(configuration));
    await run(join(root, "node_modules/.bin/tsc"), ["-p", directory], root);
    const place = directory.slice(root.length + 1);
    const output = readFileSync(join(directory, "out", place, "question.d.ts"), "utf8");
    const found = output.matchAll(/^export declare const type_(\w+): (.*?);$(?=\nexport |\n*$(?![\s\S]))/gms);
    return new Map([...found].map(([, name = "", type = ""]) => [name, type]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

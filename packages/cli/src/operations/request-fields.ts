import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { cannotRead } from "../shared/cannot-read.ts";
import { UsageError } from "../shared/failure.ts";

/** Options of a command that make up a body. */
export interface BodyOptions {
  /** `path=text`, with dots between nested names. `path=@file` reads a file, as is needed for secrets. */
  field?: string[];
  /** `path=JSON`. */
  jsonField?: string[];
  /** Name of a JSON or YAML file, or `-` for standard input. The fields override its content. */
  input?: string;
}

type Fields = Record<string, unknown>;

/** Builds the body from the file's content, overridden by the fields. */
export async function bodyOf({ field = [], jsonField = [], input }: BodyOptions): Promise<Fields> {
  const body = input === undefined ? {} : await readBody(input);
  for (const given of field) {
    const [path, value] = pair(given);
    setField(body, path, value.startsWith("@") ? await contentOf(value.slice(1)) : value);
  }
  for (const given of jsonField) {
    const [path, value] = pair(given);
    setField(body, path, jsonOf(path, value));
  }
  return body;
}

/** Parses `name=value` pairs of a query. Only a name that ends in `[]` can be repeated. */
export function queryOf(given: readonly string[]): Fields {
  const query: Fields = {};
  for (const [name, value] of given.map(pair)) {
    const many = name.endsWith("[]") ? name.slice(0, -2) : null;
    if (many === null && Object.hasOwn(query, name)) throw new UsageError(`'${name}' is given twice.`);
    if (many === null) query[name] = value;
    else query[many] = [...((query[many] as string[] | undefined) ?? []), value];
  }
  return query;
}

/** Returns the text of a file or of standard input, without the final newline. */
async function contentOf(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n$/, "");
}

async function readBody(file: string): Promise<Fields> {
  const body = yaml(await readText(file), file);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  throw new UsageError(`${nameOf(file)} does not contain an object.`);
}

/** Parses YAML, of which JSON is a subset. */
function yaml(content: string, file: string): unknown {
  try {
    return parse(content);
  } catch (error) {
    throw new UsageError(
      `${nameOf(file)} is neither JSON nor YAML: ${(error as Error).message.split("\n")[0]}`,
    );
  }
}

/** Reads a file, or standard input for `-`. */
export async function readText(file: string): Promise<string> {
  if (file === "-") return await text(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(cannotRead(file, error));
  }
}

function nameOf(file: string): string {
  return file === "-" ? "Standard input" : `'${file}'`;
}

function pair(given: string): [path: string, value: string] {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageError(`'${given}' must have the form name=value.`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function jsonOf(path: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new UsageError(`The value of '${path}' is not JSON.`);
  }
}

/** Sets a nested field. Creates the objects on its path if they are missing. */
function setField(body: Fields, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let parent = body;
  for (const name of names) {
    const known = Object.hasOwn(parent, name) ? parent[name] : undefined;
    const next = typeof known === "object" && known !== null && !Array.isArray(known) ? known : {};
    define(parent, name, next);
    parent = next as Fields;
  }
  define(parent, last, value);
}

/** Defines an own property even for names that objects inherit, such as `__proto__`. */
function define(object: Fields, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

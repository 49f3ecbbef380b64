import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { UsageError } from "../shared/failure.ts";

/** A body as the options of a command give it. */
export interface GivenFields {
  /** `path=text`, the path with dots between names; `path=@file` takes the text of a file, which secrets should come from. */
  field?: string[];
  /** `path=JSON`. */
  jsonField?: string[];
  /** A file of JSON or YAML that the fields are laid over; `-` is standard input. */
  input?: string;
}

type Fields = Record<string, unknown>;

/** The body: the file's, with the fields laid over; an empty object when nothing was given. */
export async function bodyOf({ field = [], jsonField = [], input }: GivenFields): Promise<Fields> {
  const body = input === undefined ? {} : await readBody(input);
  for (const given of field) {
    const [path, value] = pair(given);
    lay(body, path, value.startsWith("@") ? await contentOf(value.slice(1)) : value);
  }
  for (const given of jsonField) {
    const [path, value] = pair(given);
    lay(body, path, jsonOf(path, value));
  }
  return body;
}

/** `name=value` pairs of a query; a name that ends with `[]` may come several times. */
export function queryOf(given: readonly string[]): Fields {
  const query: Fields = {};
  for (const [name, value] of given.map(pair)) {
    const many = name.endsWith("[]") ? name.slice(0, -2) : null;
    if (many === null) query[name] = value;
    else query[many] = [...((query[many] as string[] | undefined) ?? []), value];
  }
  return query;
}

/** A file's text, or that of standard input, without the line end that editors leave. */
async function contentOf(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n$/, "");
}

async function readBody(file: string): Promise<Fields> {
  const body = yaml(await readText(file), file);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  throw new UsageError(`${nameOf(file)} does not hold an object.`);
}

/** JSON is YAML, too. */
function yaml(content: string, file: string): unknown {
  try {
    return parse(content);
  } catch (error) {
    throw new UsageError(
      `${nameOf(file)} is neither JSON nor YAML: ${(error as Error).message.split("\n")[0]}`,
    );
  }
}

/** Of a file, or of standard input for `-`. */
export async function readText(file: string): Promise<string> {
  if (file === "-") return await text(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`'${file}' cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function nameOf(file: string): string {
  return file === "-" ? "Standard input" : `'${file}'`;
}

function pair(given: string): [path: string, value: string] {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageError(`'${given}' is not of the form name=value.`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function jsonOf(path: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new UsageError(`The value of '${path}' is not JSON.`);
  }
}

/** Sets a field below others, which are made when they are missing. */
function lay(body: Fields, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let place = body;
  for (const name of names) {
    const known = Object.hasOwn(place, name) ? place[name] : undefined;
    const next = typeof known === "object" && known !== null && !Array.isArray(known) ? known : {};
    define(place, name, next);
    place = next as Fields;
  }
  define(place, last, value);
}

/** Also when the name is one that objects have from birth. */
function define(place: Fields, name: string, value: unknown): void {
  Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
}

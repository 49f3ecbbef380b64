import type { Operation } from "@berth/sdk";
import { operations, pathParams } from "@berth/sdk/operations";
import { connect } from "../../shared/connection.ts";
import type { Candidate } from "./candidate.ts";
import type { Position } from "./position.ts";

type Thing = Readonly<Record<string, unknown>>;

/** Milliseconds to wait for a response while a user types. */
const PATIENCE_MS = 3000;

/** Returns the ids that a path parameter can have, newest first, with the names of the objects. */
export async function idsOf(param: string, position: Position): Promise<Candidate[]> {
  const list = listOf(param);
  if (list === undefined) return [];
  const own = position.command.registeredArguments.map((argument, index): [string, string] => [
    argument.name().replaceAll("-", "_"),
    position.args[index] ?? "",
  ]);
  const things = await ask(list, Object.fromEntries(own), position);
  const field = param === "version" ? "version" : "id";
  return things.map((thing) => ({ value: String(thing[field]), about: aboutOf(thing) }));
}

/** Returns the ids of the installation's models, with a note at the default one. */
export async function models(position: Position): Promise<Candidate[]> {
  const listed = await ask(operations.models.list, {}, position);
  return listed.map(({ id, default: isDefault }) => ({
    value: String(id),
    about: isDefault === true ? "the default" : "",
  }));
}

/** Returns the operation that lists the objects of a parameter, by the noun that reads or deletes them. */
function listOf(param: string): Operation | undefined {
  if (param === "version") return operations.skills.versions;
  const nouns: readonly Readonly<Record<string, Operation>>[] = Object.values(operations);
  return nouns.find(
    ({ delete: remove, get = remove }) => get !== undefined && pathParams(get).at(-1) === param,
  )?.list;
}

/** Requests one page, since more cannot be shown, without retries, since the next TAB is a retry. */
async function ask(
  operation: Operation,
  values: Readonly<Record<string, string>>,
  { given }: Position,
): Promise<readonly Thing[]> {
  const client = await connect({
    ...optional("url", given.get("--url")),
    ...optional("context", given.get("--context")),
    ...optional("tokenFile", given.get("--token-file")),
    ...optional("dataDir", given.get("--data-dir")),
  });
  const params = Object.fromEntries(pathParams(operation).map((name) => [name, values[name] ?? ""]));
  const query = operation.unpaginated ? {} : { limit: 100 };
  const page = await client.call<{ data: readonly Thing[] }>({
    operation,
    params,
    query,
    timeout: PATIENCE_MS,
    maxRetries: 0,
  });
  return page.data;
}

function optional<Name extends string>(name: Name, value: string | undefined): { [N in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: string };
}

function aboutOf(thing: Thing): string {
  const name = ["name", "display_name", "title", "filename", "path", "url", "mount_path"]
    .map((field) => thing[field])
    .find((value) => typeof value === "string" && value !== "");
  return [name, thing.status].filter((part) => typeof part === "string").join(", ");
}

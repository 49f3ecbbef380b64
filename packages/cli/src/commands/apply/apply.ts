import { isDeepStrictEqual } from "node:util";
import type { Berth, Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine, printMessage } from "../../terminal/print.ts";
import { documentsOf, type Kind, nameField, type ObjectDocument } from "./documents.ts";

interface ApplyOptions extends ConnectionOptions {
  file: string[];
  dryRun?: boolean;
  json?: boolean;
}

type Thing = Record<string, unknown> & { id: string };

interface Noun {
  create: Operation;
  list: Operation;
  update: Operation;
}

const OPERATIONS: Record<Kind, Noun> = {
  agent: operations.agents,
  environment: operations.environments,
  memory_store: operations.memoryStores,
  vault: operations.vaults,
};

/** Creates or updates the object of each document, in the order of the files. Stops at the first error. */
export async function apply(options: ApplyOptions): Promise<undefined> {
  const documents = (await Promise.all(options.file.map(documentsOf))).flat();
  requireDistinct(documents);
  const client = await connect(options);
  for (const document of documents) {
    const { kind, name, location } = document;
    const { done, object } = await bring(client, document, options.dryRun ?? false).catch((error) => {
      printMessage(`${location}, ${kind}/${name}:`);
      throw error;
    });
    if (options.json) printJson({ kind, name, id: object?.id ?? null, done });
    else printLine(`${kind}/${name} ${done}${object === undefined ? "" : `  ${object.id}`}`);
  }
}

/** Of two documents of one object, the later one would silently undo the earlier. */
function requireDistinct(documents: readonly ObjectDocument[]): void {
  for (const [index, { kind, name, location }] of documents.entries()) {
    const earlier = documents.slice(0, index).find((other) => other.kind === kind && other.name === name);
    if (earlier !== undefined)
      throw new UsageError(`${location} describes ${kind}/${name}, as ${earlier.location} does.`);
  }
}

/** Creates or updates the object; in a dry run the service checks the request and changes nothing. */
async function bring(
  client: Berth,
  document: ObjectDocument,
  dryRun: boolean,
): Promise<{ done: string; object?: Thing }> {
  const { kind, body } = document;
  const known = await findByName(client, document);
  const { create, update } = OPERATIONS[kind];
  const headers = dryRun ? { "berth-dry-run": "true" } : {};
  if (known === undefined) {
    const object = await client.call<Thing>({ operation: create, body, headers });
    return dryRun ? { done: "would be created" } : { done: "created", object };
  }
  const idParam = /\{(\w+)\}/.exec(update.path)?.[1] ?? "";
  const object = await client.call<Thing>({
    operation: update,
    params: { [idParam]: known.id },
    body: kind === "agent" ? { ...body, version: known.version } : body,
    headers,
  });
  const changes = dryRun ? "would be updated" : "updated";
  return { done: isSame(known, object) ? "unchanged" : changes, object };
}

/** Finds the object of that name among those that are not archived. Throws if there are several. */
async function findByName(
  client: Berth,
  { kind, name, location }: ObjectDocument,
): Promise<Thing | undefined> {
  const found: Thing[] = [];
  for await (const item of client.pages<Thing>({ operation: OPERATIONS[kind].list, query: { limit: 100 } })) {
    if (item[nameField(kind)] === name) found.push(item);
  }
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new UsageError(`${location}: several objects of kind ${kind} have the name '${name}': ${ids}.`);
  }
  return found[0];
}

function isSame({ updated_at: _one, ...before }: Thing, { updated_at: _other, ...after }: Thing): boolean {
  return isDeepStrictEqual(before, after);
}

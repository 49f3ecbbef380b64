import { isDeepStrictEqual } from "node:util";
import type { Berth, Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine } from "../../terminal/print.ts";
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
  const client = await connect(options);
  for (const document of documents) {
    const known = await findByName(client, document);
    const { done, object } = options.dryRun ? foreseen(known) : await bring(client, document, known);
    const { kind, name } = document;
    if (options.json) printJson({ kind, name, id: object?.id ?? null, done });
    else printLine(`${kind}/${name} ${done}${object === undefined ? "" : `  ${object.id}`}`);
  }
}

function foreseen(known: Thing | undefined) {
  return { done: known === undefined ? "would be created" : "would be updated", object: known };
}

async function bring(
  client: Berth,
  { kind, body }: ObjectDocument,
  known: Thing | undefined,
): Promise<{ done: string; object: Thing }> {
  const { create, update } = OPERATIONS[kind];
  if (known === undefined)
    return { done: "created", object: await client.call<Thing>({ operation: create, body }) };
  const idParam = /\{(\w+)\}/.exec(update.path)?.[1] ?? "";
  const object = await client.call<Thing>({
    operation: update,
    params: { [idParam]: known.id },
    body: kind === "agent" ? { ...body, version: known.version } : body,
  });
  return { done: isSame(known, object) ? "unchanged" : "updated", object };
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

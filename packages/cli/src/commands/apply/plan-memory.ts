import { createHash } from "node:crypto";
import type { Memory } from "@berth/sdk";
import { checked, DRY_RUN } from "./check.ts";
import { bytesOf } from "./document-files.ts";
import { type ObjectDocument, shownAs } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { idParams, OPERATIONS, type Thing } from "./kinds.ts";
import { parentOf } from "./parent.ts";
import { planNewPart } from "./plan-new-part.ts";
import { isFaulty, type Planning, type Step } from "./step.ts";

const { create, update } = OPERATIONS.memory;

/**
 * Plans a memory of a store, which is identified by its path. A memory with the same content is not changed,
 * so that no version is created.
 */
export async function planMemory(given: ObjectDocument, planning: Planning): Promise<Step | Fault[]> {
  const body = await bodyOf(given);
  if (isFaulty(body)) return body;
  const document = "content_file" in given.body ? shownAs(given, { content: "content_file" }) : given;
  const parent = await parentOf(given, "memory_store", String(given.body.memory_store), planning);
  if (isFaulty(parent)) return parent;
  const memories =
    parent.known === undefined ? [] : await planning.listing.partsOf(parent.known.id, "memory");
  const known = memories.find(({ path }) => path === body.path);
  if (known === undefined) {
    const changes = Object.entries(body).map(([field, after]) => ({ field, after }));
    return await planNewPart(document, parent, { create, body, changes }, planning);
  }
  return await planChange(document, known, body, planning);
}

type Body = Record<string, unknown> & { path: unknown; content: unknown };

/** Returns the body of the request that creates the memory. */
async function bodyOf({ body, directory, fault }: ObjectDocument): Promise<Body | Fault[]> {
  const { memory_store: _store, content_file: file, ...rest } = body;
  const { path, content } = rest;
  if (file === undefined && content === undefined)
    return [fault(null, "Field 'content' or 'content_file' is required.")];
  if (file === undefined) return { ...rest, path, content };
  if (content !== undefined)
    return [fault("content_file", "Set either 'content' or 'content_file', not both.")];
  const bytes = await bytesOf(directory, "content_file", file);
  if (typeof bytes === "string") return [fault("content_file", bytes)];
  try {
    return {
      ...rest,
      path,
      content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    };
  } catch {
    return [fault("content_file", `The content of '${file}' is not UTF-8.`)];
  }
}

/**
 * Plans a change of a memory. Its precondition makes the service reject the request if somebody has changed
 * the memory since the plan.
 */
async function planChange(
  document: ObjectDocument,
  known: Thing,
  body: Body,
  { client }: Planning,
): Promise<Step | Fault[]> {
  const { memory_store_id: storeId, id, content_sha256 } = known as unknown as Memory;
  const { path: _path, ...fields } = body;
  const step = { document, known, parentId: storeId };
  if (isContent(body, content_sha256) && Object.keys(fields).length === 1)
    return { ...step, changes: [], carryOut: async () => ({ id, done: "unchanged" }) };
  const sent = { ...fields, precondition: { type: "content_sha256", content_sha256 } };
  const send = (headers = {}) =>
    client.call<Memory>({ operation: update, params: idParams(update, storeId, id), body: sent, headers });
  const after = await checked(document, "update", sent, () => send(DRY_RUN));
  if (isFaulty(after)) return after;
  const { content: before } = await client.memoryStores.memories.get(storeId, id);
  return {
    ...step,
    changes: [{ field: "content", before, after: after.content }],
    carryOut: async () => ({ id: (await send()).id, done: "updated" }),
  };
}

function isContent({ content }: Body, sha256: string): boolean {
  return typeof content === "string" && createHash("sha256").update(content).digest("hex") === sha256;
}

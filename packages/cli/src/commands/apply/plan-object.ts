import type { Berth } from "@berth/sdk";
import { byName } from "./by-name.ts";
import { checked, DRY_RUN } from "./check.ts";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { fieldChanges } from "./field-changes.ts";
import { idParams, nameField, OPERATIONS, type Thing, type WholeKind } from "./kinds.ts";
import { withMark } from "./set-mark.ts";
import { foreignSet, isFaulty, type Planning, type Step } from "./step.ts";

/** Plans an object whose document is the body of the request that creates it. */
export async function planObject(
  document: ObjectDocument,
  { client, listing, set }: Planning,
): Promise<Step | Fault[]> {
  const { name, fault } = document;
  const kind = document.kind as Exclude<WholeKind, "skill">;
  const known = await byName(listing, kind, name);
  if (typeof known === "string") return [fault(nameField(kind), known)];
  const foreign = foreignSet(document, nameField(kind), known, set);
  if (foreign.length > 0) return foreign;
  const request = requestFor(kind, withMark(document.body, set, known), known);
  const after = await checked(document, request.verb, request.body, () => send(client, request, DRY_RUN));
  if (isFaulty(after)) return after;
  return {
    document,
    ...(known === undefined ? {} : { known }),
    changes: known === undefined ? fieldChanges({}, request.body) : fieldChanges(known, after),
    async carryOut() {
      const object = await send(client, request);
      if (known === undefined) return { id: object.id, done: "created" };
      return { id: object.id, done: fieldChanges(known, object).length > 0 ? "updated" : "unchanged" };
    },
  };
}

type Request = ReturnType<typeof requestFor>;

function requestFor(kind: WholeKind, body: Record<string, unknown>, known: Thing | undefined) {
  const { create, update } = OPERATIONS[kind];
  if (known === undefined) return { verb: "create" as const, operation: create, params: {}, body };
  return {
    verb: "update" as const,
    operation: update,
    params: idParams(update, known.id),
    body: kind === "agent" ? { ...body, version: known.version } : body,
  };
}

async function send(
  client: Berth,
  { operation, params, body }: Request,
  headers: Record<string, string> = {},
): Promise<Thing> {
  return await client.call<Thing>({ operation, params, body, headers });
}

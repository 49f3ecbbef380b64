import type { Operation } from "@berth/sdk";
import { checked, checkedByContract, DRY_RUN } from "./check.ts";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import type { FieldChange } from "./field-changes.ts";
import { idParams } from "./kinds.ts";
import type { Parent } from "./parent.ts";
import { isFaulty, type Planning, type Step } from "./step.ts";

type Part = { create: Operation; body: Record<string, unknown>; changes: FieldChange[] };

/** Plans a new part of an object. The service checks it if the object exists, else the contract does. */
export async function planNewPart(
  document: ObjectDocument,
  parent: Parent,
  { create, body, changes }: Part,
  { client }: Planning,
): Promise<Step | Fault[]> {
  const send = (parentId: string, headers = {}) =>
    client.call<{ id: string }>({ operation: create, params: idParams(create, parentId), body, headers });
  const { known } = parent;
  const faults =
    known === undefined
      ? await checkedByContract(document, body)
      : await checked(document, "create", body, () => send(known.id, DRY_RUN));
  if (isFaulty(faults) && faults.length > 0) return faults;
  return {
    document,
    ...(known === undefined ? {} : { parentId: known.id }),
    changes,
    carryOut: async (idOf) => ({ id: (await send(parent.id(idOf))).id, done: "created" }),
  };
}

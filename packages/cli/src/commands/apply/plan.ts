import { APIError, AuthenticationError, type Berth, PermissionError } from "@berth/sdk";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { idParams, nameField, OPERATIONS, type Thing } from "./kinds.ts";
import type { ThingsOf } from "./listing.ts";
import { setOf, withMark } from "./set-mark.ts";

/** What applying a document does. */
export interface Step {
  document: ObjectDocument;
  /** The body that is sent. */
  body: Record<string, unknown>;
  /** The object before. Absent: it is created. */
  known?: Thing;
  changes: FieldChange[];
}

/**
 * Has the service check every document, and says what would change. Nothing is changed.
 *
 * @param set the set that the objects are to belong to
 */
export async function plan(
  client: Berth,
  documents: readonly ObjectDocument[],
  thingsOf: ThingsOf,
  set: string | undefined,
): Promise<{ steps: Step[]; faults: Fault[] }> {
  const steps: Step[] = [];
  const faults: Fault[] = [];
  for (const document of documents) {
    const planned = await planDocument(client, document, await thingsOf(document.kind), set);
    if (Array.isArray(planned)) faults.push(...planned);
    else steps.push(planned);
  }
  return { steps, faults };
}

async function planDocument(
  client: Berth,
  document: ObjectDocument,
  things: readonly Thing[],
  set: string | undefined,
): Promise<Step | Fault[]> {
  const { kind, name, fault } = document;
  const [known, ...others] = things.filter((thing) => thing[nameField(kind)] === name);
  if (known !== undefined && others.length > 0) {
    const ids = [known, ...others].map(({ id }) => id).join(", ");
    return [fault(nameField(kind), `Several objects have this name: ${ids}.`)];
  }
  const owner = known === undefined ? undefined : setOf(known);
  if (set !== undefined && owner !== undefined && owner !== set)
    return [fault(nameField(kind), `The object belongs to the set '${owner}'.`)];
  const body = withMark(document.body, set, known);
  const step = { document, body, ...(known === undefined ? {} : { known }), changes: [] };
  try {
    const after = await send(client, step, { "berth-dry-run": "true" });
    return {
      ...step,
      changes: known === undefined ? fieldChanges({}, body) : fieldChanges(known, after),
    };
  } catch (error) {
    if (!(error instanceof APIError) || !isAboutDocument(error)) throw error;
    const first = { param: error.param, message: error.message };
    const errors = [first, ...(await furtherErrors(step, error))];
    return errors.map(({ param, message }) => fault(param, message));
  }
}

/** Creates or updates the object. */
export async function send(
  client: Berth,
  { document: { kind }, body, known }: Pick<Step, "document" | "body" | "known">,
  headers: Record<string, string> = {},
): Promise<Thing> {
  const { create, update } = OPERATIONS[kind];
  if (known === undefined) return await client.call<Thing>({ operation: create, body, headers });
  return await client.call<Thing>({
    operation: update,
    params: idParams(update, known.id),
    body: kind === "agent" ? { ...body, version: known.version } : body,
    headers,
  });
}

/** Whether the service examined the document and refused it. */
function isAboutDocument(error: APIError): boolean {
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429;
  return isRefused && !(error instanceof AuthenticationError) && !(error instanceof PermissionError);
}

/**
 * The service names the first error of a document; the contract finds the others. It decides nothing by itself, since the
 * service can be of another version.
 */
async function furtherErrors({ document: { kind }, body, known }: Step, { param }: APIError) {
  const { contractErrors } = await import("./contract-faults.ts");
  const sent = kind === "agent" && known !== undefined ? { ...body, version: known.version } : body;
  const errors = contractErrors(kind, known === undefined ? "create" : "update", sent);
  return errors.filter((error) => error.param !== param);
}

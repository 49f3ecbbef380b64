import { checked, DRY_RUN } from "./check.ts";
import { credentialSecret, secretReference } from "./credential-secret.ts";
import { type ObjectDocument, shownAs } from "./documents.ts";
import type { Fault } from "./faults.ts";
import { type FieldChange, fieldChanges, HIDDEN_VALUE } from "./field-changes.ts";
import { idParams, OPERATIONS, type Thing } from "./kinds.ts";
import { type Parent, parentOf } from "./parent.ts";
import { planNewPart } from "./plan-new-part.ts";
import { withMark } from "./set-mark.ts";
import { foreignSet, isFaulty, type Planning, type Step } from "./step.ts";

const { create, update } = OPERATIONS.vault_credential;

/** Plans a credential of a vault, which is identified by its MCP server or variable. */
export async function planCredential(given: ObjectDocument, planning: Planning): Promise<Step | Fault[]> {
  const reference = secretReference(given);
  if (isFaulty(reference)) return reference;
  const parent = await parentOf(given, "vault", String(given.body.vault), planning);
  if (isFaulty(parent)) return parent;
  const known = await knownCredential(given, parent, planning);
  const foreign = foreignSet(given, reference.targetField, known, planning.set);
  if (foreign.length > 0) return foreign;
  const isWritten = known === undefined || planning.secrets;
  const secret = isWritten ? await credentialSecret(given, reference) : null;
  if (isFaulty(secret)) return secret;
  const { vault: _vault, ...body } = withMark(given.body, planning.set, known);
  const auth = { ...reference.auth, ...(secret === null ? {} : { [reference.name]: secret.value }) };
  const document = secret === null ? given : shownAs(given, { [`auth.${reference.name}`]: secret.field });
  if (known === undefined) {
    const whole = { ...body, auth };
    const changes = fieldChanges({}, whole);
    return await planNewPart(document, parent, { create, body: whole, changes }, planning);
  }
  const { [reference.target]: _fixed, ...changed } = auth;
  const written = secret === null ? [] : [{ ...HIDDEN_CHANGE, field: `auth.${reference.name}` }];
  return await planChange(document, known, { ...body, auth: changed }, written, planning);
}

const HIDDEN_CHANGE = { before: HIDDEN_VALUE, after: HIDDEN_VALUE };

async function knownCredential(
  { body }: ObjectDocument,
  { known: vault }: Parent,
  { listing }: Planning,
): Promise<Thing | undefined> {
  const credentials = vault === undefined ? [] : await listing.partsOf(vault.id, "vault_credential");
  return credentials.find(({ auth }) => targetOf(auth) === targetOf(body.auth));
}

/** Returns the type and target of a credential, which are unique in a vault. */
function targetOf(auth: unknown): string {
  const { type, mcp_server_url, secret_name } = auth as Record<string, unknown>;
  return JSON.stringify([type, mcp_server_url ?? secret_name]);
}

type Body = Record<string, unknown>;

async function planChange(
  document: ObjectDocument,
  known: Thing,
  body: Body,
  written: readonly FieldChange[],
  { client }: Planning,
): Promise<Step | Fault[]> {
  const parentId = String(known.vault_id);
  const send = (headers = {}) =>
    client.call<Thing>({ operation: update, params: idParams(update, parentId, known.id), body, headers });
  const after = await checked(document, "update", body, () => send(DRY_RUN));
  if (isFaulty(after)) return after;
  const changes = [...fieldChanges(known, after), ...written];
  return {
    ...{ document, known, parentId, changes },
    ...(written.length === 0 && { note: "secret not compared" }),
    async carryOut() {
      if (changes.length === 0) return { id: known.id, done: "unchanged" };
      return { id: (await send()).id, done: "updated" };
    },
  };
}

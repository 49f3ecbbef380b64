import { UsageError } from "../../shared/failure.ts";
import { secretOf, secretVariable } from "../../shared/secret.ts";
import { CREDENTIAL_FIELDS } from "./credential-fields.ts";
import { bytesOf } from "./document-files.ts";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";

type Fields = Record<string, unknown>;

/** Location of a credential's secret, according to a document. */
export interface SecretReference {
  /** The field of `auth` that has the secret in a request. */
  name: "token" | "secret_value";
  /** The field of `auth` that names the target of the secret; `targetField` has the prefix `auth.`. */
  target: "mcp_server_url" | "secret_name";
  targetField: string;
  /** The document's `auth` without the reference. */
  auth: Fields;
  /** The variable and the file that the document names. */
  env: unknown;
  file: unknown;
}

/**
 * Returns the reference to a credential's secret. Rejects a secret in the document itself, since documents
 * are kept in repositories. The fault does not quote it.
 */
export function secretReference({ body, fault }: ObjectDocument): SecretReference | Fault[] {
  const given = body.auth as Fields & { type: keyof typeof CREDENTIAL_FIELDS };
  const { name, target } = CREDENTIAL_FIELDS[given.type];
  const [inEnv, inFile] = [`${name}_env`, `${name}_file`];
  const { [inEnv]: env, [inFile]: file, ...auth } = given;
  if (name in auth) {
    const message = `A document must not contain a secret. Name a variable with 'auth.${inEnv}', or a file with 'auth.${inFile}'.`;
    return [fault(`auth.${name}`, message)];
  }
  if (env !== undefined && file !== undefined)
    return [fault(`auth.${inFile}`, `Set either 'auth.${inEnv}' or 'auth.${inFile}', not both.`)];
  return { name, target, targetField: `auth.${target}`, auth, env, file };
}

/** Reads the secret. `field` is the field that named it. */
export async function credentialSecret(
  { directory, fault }: ObjectDocument,
  { name, env, file }: SecretReference,
): Promise<{ value: string; field: string } | Fault[]> {
  const [inEnv, inFile] = [`auth.${name}_env`, `auth.${name}_file`];
  if (env === undefined && file === undefined)
    return [fault("auth", `Field '${inEnv}' or '${inFile}' is required.`)];
  const field = env === undefined ? inFile : inEnv;
  try {
    if (env === undefined) {
      const bytes = await bytesOf(directory, inFile, file);
      if (typeof bytes === "string") return [fault(inFile, bytes)];
      return { value: secretOf(bytes.toString(), `The file '${file}' is empty.`), field };
    }
    if (typeof env !== "string" || env === "")
      return [fault(inEnv, `Field '${inEnv}' must be the name of a variable.`)];
    return { value: secretVariable(env), field };
  } catch (error) {
    if (error instanceof UsageError) return [fault(field, error.message)];
    throw error;
  }
}

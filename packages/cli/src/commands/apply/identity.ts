import { UsageError } from "../../shared/failure.ts";
import { skillFiles } from "../skills/skill-files.ts";
import { CREDENTIAL_FIELDS } from "./credential-fields.ts";
import { pathFrom } from "./document-files.ts";
import { type Kind, nameField, PARENTS, type PartKind } from "./kinds.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Identifies an object among others of its kind. */
export interface Identity {
  /** Name for messages; that of a part begins with the name of its parent. */
  name: string;
  /** Two documents with the same key describe the same object. */
  key: string;
}

/** Thrown when a document does not identify its object. `field` is null for the document as a whole. */
export class Unidentified extends Error {
  readonly field: string | null;

  constructor(field: string | null, message: string) {
    super(message);
    this.field = field;
  }
}

/**
 * Returns the identity of the object that a document describes.
 * @param directory Directory of the document's file.
 * @throws Unidentified
 */
export async function identityOf(kind: Kind, body: Fields, directory: string): Promise<Identity> {
  if (kind === "memory") return partOf(kind, body, required(body, "path"));
  if (kind === "vault_credential") return partOf(kind, body, targetOf(body));
  const name = kind === "skill" ? await skillName(body, directory) : required(body, nameField(kind));
  return { name, key: `${kind}/${name}` };
}

function partOf(kind: PartKind, body: Fields, own: string): Identity {
  const parent = required(body, PARENTS[kind]);
  const name = own.startsWith("/") ? `${parent}${own}` : `${parent}/${own}`;
  return { name, key: JSON.stringify([kind, parent, own]) };
}

function targetOf({ auth }: Fields): string {
  if (auth === undefined) throw new Unidentified(null, "Field 'auth' is required.");
  if (typeof auth !== "object" || auth === null || Array.isArray(auth))
    throw new Unidentified("auth", "Field 'auth' must be an object.");
  const { type } = auth as Fields;
  const fields = Object.entries(CREDENTIAL_FIELDS).find(([known]) => known === type)?.[1];
  if (fields !== undefined) return required(auth as Fields, fields.target, "auth");
  const types = Object.keys(CREDENTIAL_FIELDS).join(", ");
  throw new Unidentified("auth.type", `Field 'auth.type' must be one of ${types}.`);
}

/** Returns the name in the frontmatter of `SKILL.md`. The service checks the rest of it. */
async function skillName(body: Fields, directory: string): Promise<string> {
  const path = pathFrom(directory, required(body, "directory"));
  const files = await skillFiles(path).catch((error) => {
    throw error instanceof UsageError ? new Unidentified("directory", error.message) : error;
  });
  const manifest = await files.find(({ name }) => name === "SKILL.md")?.content.text();
  const [, frontmatter = ""] = /^---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(manifest ?? "") ?? [];
  const { parseDocument } = await import("yaml");
  const name = parseDocument(frontmatter, { logLevel: "error" }).get("name");
  if (typeof name === "string" && name !== "") return name;
  throw new Unidentified("directory", `'${path}/SKILL.md' has no name in its frontmatter.`);
}

function required(body: Fields, name: string, within?: string): string {
  const value = body[name];
  const field = within === undefined ? name : `${within}.${name}`;
  if (value === undefined) throw new Unidentified(within ?? null, `Field '${field}' is required.`);
  if (typeof value === "string" && value !== "") return value;
  throw new Unidentified(field, `Field '${field}' must be a non-empty string.`);
}

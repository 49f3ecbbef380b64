import { parseAllDocuments } from "yaml";
import { readText } from "../../operations/request-fields.ts";
import { UsageError } from "../../shared/failure.ts";

const KINDS = ["agent", "environment", "memory_store", "vault"] as const;
export type Kind = (typeof KINDS)[number];

/** A document of a file, which describes one object. */
export interface ObjectDocument {
  kind: Kind;
  /** The object's name, which is the `display_name` of a vault. */
  name: string;
  /** The body of its create operation. */
  body: Record<string, unknown>;
  /** The document's position in the files, for messages. */
  location: string;
}

export function nameField(kind: Kind): "name" | "display_name" {
  return kind === "vault" ? "display_name" : "name";
}

/** Reads and checks all documents of a file. @throws UsageError */
export async function documentsOf(file: string): Promise<ObjectDocument[]> {
  const documents = parseAllDocuments(await readText(file));
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, index) => {
    const location = `Document ${index + 1} of '${file}'`;
    const error = document.errors[0];
    if (error !== undefined) throw new UsageError(`${location}: ${error.message.split("\n")[0]}`);
    const content: unknown = document.toJS();
    return content === null ? [] : [parseDocument(content, location)];
  });
}

function parseDocument(content: unknown, location: string): ObjectDocument {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new UsageError(`${location} is not an object.`);
  }
  const { kind: given, ...body } = content as Record<string, unknown>;
  const kind = KINDS.find((known) => known === given);
  if (kind === undefined) throw new UsageError(`${location}: 'kind' must be one of ${KINDS.join(", ")}.`);
  const name = body[nameField(kind)];
  if (typeof name !== "string" || name === "") {
    throw new UsageError(`${location}: '${nameField(kind)}' is required.`);
  }
  return { kind, name, body, location };
}

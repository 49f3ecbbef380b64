import { parseAllDocuments } from "yaml";
import { readText } from "../../operations/given-fields.ts";
import { UsageError } from "../../shared/failure.ts";

export const kinds = ["agent", "environment", "memory_store", "vault"] as const;
export type Kind = (typeof kinds)[number];

/** What a file says of one object. */
export interface Described {
  kind: Kind;
  /** The field that names it, which is `display_name` of a vault. */
  name: string;
  /** The body of its create operation. */
  body: Record<string, unknown>;
  /** Where it stands, for messages. */
  place: string;
}

export function namingField(kind: Kind): "name" | "display_name" {
  return kind === "vault" ? "display_name" : "name";
}

/** The objects of a file, all of them looked at before the first is made. @throws UsageError */
export async function documentsOf(file: string): Promise<Described[]> {
  const documents = parseAllDocuments(await readText(file));
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document, index) => {
    const place = `Document ${index + 1} of '${file}'`;
    const fault = document.errors[0];
    if (fault !== undefined) throw new UsageError(`${place}: ${fault.message.split("\n")[0]}`);
    const content: unknown = document.toJS();
    return content === null ? [] : [described(content, place)];
  });
}

function described(content: unknown, place: string): Described {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new UsageError(`${place} is not an object.`);
  }
  const { kind: given, ...body } = content as Record<string, unknown>;
  const kind = kinds.find((known) => known === given);
  if (kind === undefined) throw new UsageError(`${place}: 'kind' must be one of ${kinds.join(", ")}.`);
  const name = body[namingField(kind)];
  if (typeof name !== "string" || name === "") {
    throw new UsageError(`${place}: '${namingField(kind)}' is required.`);
  }
  return { kind, name, body, place };
}

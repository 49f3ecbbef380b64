import { dirname } from "node:path";
import { type Document, LineCounter, parseAllDocuments } from "yaml";
import { readText } from "../../operations/request-fields.ts";
import { UsageError } from "../../shared/failure.ts";
import type { Fault } from "./faults.ts";
import { fieldLines } from "./field-lines.ts";
import { identityOf, Unidentified } from "./identity.ts";
import { KINDS, type Kind } from "./kinds.ts";

/** A document of a file, which describes one object. */
export interface ObjectDocument {
  kind: Kind;
  /** The object's name, for messages. */
  name: string;
  /** Key that identifies the object among those of all documents. */
  key: string;
  /** The document without its `kind`. */
  body: Record<string, unknown>;
  /** The directory of the file, from which the paths in the document start. */
  directory: string;
  /** Start of the document, for messages. */
  location: string;
  /** Creates a fault about a field, or about the document as a whole for null. */
  fault: (field: string | null, message: string) => Fault;
}

/** The valid documents of some files, and the faults of the others. */
export interface Documents {
  documents: ObjectDocument[];
  faults: Fault[];
}

/** Reads all documents of the files, in order, and collects all their faults. */
export async function readDocuments(files: readonly string[]): Promise<Documents> {
  const read: Documents = { documents: [], faults: [] };
  for (const [index, file] of files.entries()) {
    const { documents, faults } = await documentsOf(file, index);
    read.documents.push(...documents);
    read.faults.push(...faults);
  }
  return { documents: read.documents, faults: [...read.faults, ...repeated(read.documents)] };
}

/** Creates a fault at a line of a document. */
type FaultAt = (line: number, message: string, name?: string) => Fault;

async function documentsOf(file: string, number: number): Promise<Documents> {
  const shown = file === "-" ? "standard input" : file;
  const content = await readText(file).catch((error) => {
    if (error instanceof UsageError) return error;
    throw error;
  });
  if (content instanceof UsageError)
    return { documents: [], faults: [{ file: number, line: 0, location: shown, message: content.message }] };
  const lines = new LineCounter();
  const parsed = parseAllDocuments(content, { lineCounter: lines });
  const documents: ObjectDocument[] = [];
  const faults: Fault[] = [];
  for (const [index, document] of (Array.isArray(parsed) ? parsed : []).entries()) {
    const place = (line: number) => `${shown}:${line}, document ${index + 1}`;
    const faultAt: FaultAt = (line, message, name) => ({
      file: number,
      line,
      location: name === undefined ? place(line) : `${place(line)}, ${name}`,
      message,
    });
    const directory = file === "-" ? "." : dirname(file);
    const found = await parseDocument(document, lines, { directory, faultAt });
    if (Array.isArray(found)) faults.push(...found);
    else if (found !== null) documents.push(found);
  }
  return { documents, faults };
}

/** Returns the object that a document describes, null if it is empty, or its faults. */
async function parseDocument(
  document: Document.Parsed,
  lines: LineCounter,
  { directory, faultAt }: { directory: string; faultAt: FaultAt },
): Promise<ObjectDocument | Fault[] | null> {
  if (document.errors.length > 0) {
    return document.errors.map(({ message, pos }) =>
      faultAt(lines.linePos(pos[0]).line, `${message.split(/ at line \d+|\n/)[0]}.`),
    );
  }
  const lineOf = fieldLines(document, lines);
  const wrong = (field: string | null, message: string) => [faultAt(lineOf(field), message)];
  const content = contentOf(document);
  if (content instanceof Error) return wrong(null, `${content.message}.`);
  if (content === null) return null;
  if (typeof content !== "object" || Array.isArray(content)) return wrong(null, "It must be an object.");
  const { kind: given, ...body } = content as Record<string, unknown>;
  const kind = KINDS.find((known) => known === given);
  if (kind === undefined) return wrong("kind", `Field 'kind' must be one of ${KINDS.join(", ")}.`);
  const identity = await identityOf(kind, body, directory).catch((error) => {
    if (error instanceof Unidentified) return error;
    throw error;
  });
  if (identity instanceof Unidentified) return wrong(identity.field, identity.message);
  const { name, key } = identity;
  const fault = (field: string | null, message: string) => faultAt(lineOf(field), message, `${kind}/${name}`);
  return { kind, name, key, body, directory, location: fault(null, "").location, fault };
}

/**
 * Returns the document with a `fault` that uses the document's names for fields.
 * @param names The field in the document, by the field in the request.
 */
export function shownAs(
  document: ObjectDocument,
  names: Readonly<Record<string, string | undefined>>,
): ObjectDocument {
  const fault = (field: string | null, message: string) => {
    const own = field === null ? undefined : names[field];
    return own === undefined
      ? document.fault(field, message)
      : document.fault(own, message.replace(`'${field}'`, `'${own}'`));
  };
  return { ...document, fault };
}

/** Returns the content, or the error for an unresolved alias or too many aliases. */
function contentOf(document: Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return error;
  }
}

/** Returns a fault for each object with several documents: the later would silently undo the earlier. */
function repeated(documents: readonly ObjectDocument[]): Fault[] {
  const first = new Map<string, ObjectDocument>();
  return documents.flatMap((document) => {
    const earlier = first.get(document.key);
    if (earlier === undefined) first.set(document.key, document);
    return earlier === undefined
      ? []
      : [document.fault(null, `The same object is described at ${earlier.location}.`)];
  });
}

import { isImageType, mediaTypeOf } from "@berth/contract";
import type { UserBlock } from "../models/model.ts";
import { storableText } from "../prompts/text.ts";
import type { LogEntry } from "./log-entry.ts";

/** The files that messages refer to, by id, as blocks; null for a file that cannot be read. */
export type MessageFiles = ReadonlyMap<string, UserBlock | null>;

export const NO_FILES: MessageFiles = new Map();

/** Returns the bytes of a file; null when it does not exist. */
export type ReadFile = (fileId: string) => Promise<Uint8Array | null>;

/** Maximum characters of the files of a turn: several times what any provider accepts in a request. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/**
 * Reads into `known` the files that messages refer to and it lacks, newest message first. Files beyond the
 * total limit count as unreadable. A file is read once in a turn, since it never changes once it is ready.
 */
export async function loadFiles(
  entries: readonly LogEntry[],
  known: Map<string, UserBlock | null>,
  readFile: ReadFile,
): Promise<void> {
  let room = MAX_CHARACTERS;
  for (const block of known.values()) room -= lengthOf(block);
  for (const { event } of entries.toReversed()) {
    if (event.type !== "user.message") continue;
    for (const block of event.content) {
      if (block.type === "text" || block.source.type !== "file") continue;
      const id = block.source.file_id;
      if (known.has(id)) continue;
      const read = room > 0 ? fileBlock(await readFile(id)) : null;
      known.set(id, read);
      room -= lengthOf(read);
    }
  }
}

function lengthOf(block: UserBlock | null): number {
  if (block === null) return 0;
  return block.type === "text" ? block.text.length : block.data.length;
}

/** Detects the type from the bytes: a provider would reject an invalid image in every later request. */
function fileBlock(bytes: Uint8Array | null): UserBlock | null {
  if (bytes === null) return null;
  const mediaType = mediaTypeOf(bytes);
  if (mediaType !== null) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    return isImageType(mediaType)
      ? { type: "image", mediaType, data }
      : { type: "document", mediaType, data };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { type: "text", text: storableText(text) };
  } catch {
    return null;
  }
}

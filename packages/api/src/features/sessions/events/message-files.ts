import {
  type InputEvent,
  isImageType,
  MAX_DOCUMENT_BYTES,
  MAX_IMAGE_BYTES,
  type MessageBlock,
  mediaFault,
  mediaTypeOf,
} from "@berth/contract";
import type { Principal, Reference, ReferenceCheck, References } from "@berth/store/access";
import type { BlobStore } from "@berth/store/blobs";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { insertEventFiles } from "@berth/store/session-log";
import { fileReferences } from "../../files/file-references.ts";
import type { FileRow } from "../../files/file-store.ts";

interface MessageFile extends Reference {
  type: "image" | "document";
}

/** Bytes from the start of a file that show its type, and the dimensions of most images. */
const HEAD_BYTES = 65_536;

/** The files in messages, checked before the messages are stored. */
export class MessageFiles implements ReferenceCheck {
  readonly lock?: (tx: Queryable) => Promise<void>;
  readonly #blobs: BlobStore;
  readonly #references: References<MessageFile, FileRow>;
  #heads = new Map<string, Uint8Array>();

  /** @param field of the body that holds the events. */
  constructor(blobs: BlobStore, events: readonly InputEvent[], field: string) {
    this.#blobs = blobs;
    const files = events.flatMap((event, index) =>
      event.type === "user.message" ? filesIn(event.content, `${field}[${index}]`) : [],
    );
    this.#references = fileReferences(files, (file, row) => checkContent(file, row, this.#heads.get(row.id)));
    const { lock } = this.#references;
    if (lock !== undefined) this.lock = lock;
  }

  async load(db: Queryable): Promise<void> {
    await this.#references.load(db);
    this.#heads = await readHeads(
      this.#blobs,
      this.#references.pairs.map(({ row }) => row),
    );
  }

  checkAccess(db: Queryable, principal: Principal): Promise<void> {
    return this.#references.checkAccess(db, principal);
  }

  /** @throws errors.fileNotReady, errors.fileUnfit, errors.fileTooLarge, errors.fileFaulty */
  checkState(): void {
    this.#references.checkState();
  }

  /** Records that the session's log has the files, in the transaction that stores the messages. */
  async keep(tx: Queryable, sessionUuid: string): Promise<void> {
    await insertEventFiles(tx, sessionUuid, this.#references.uuids);
  }
}

function filesIn(content: readonly MessageBlock[], message: string): MessageFile[] {
  return content.flatMap((block, index) => {
    if (block.type === "text" || block.source.type !== "file") return [];
    const param = `${message}.content[${index}].source.file_id`;
    return [{ type: block.type, id: block.source.file_id, param }];
  });
}

/** Reads the first bytes of each file, since a name does not show what model providers will see. */
async function readHeads(blobs: BlobStore, rows: readonly FileRow[]): Promise<Map<string, Uint8Array>> {
  const heads = new Map<string, Uint8Array>();
  for (const { id, status, sha256, size_bytes } of rows) {
    if (heads.has(id) || status !== "ready" || sha256 === null || size_bytes === 0) continue;
    const head: Buffer[] = [];
    for await (const chunk of blobs.read(sha256, { start: 0, end: HEAD_BYTES - 1 }))
      head.push(chunk as Buffer);
    heads.set(id, Buffer.concat(head));
  }
  return heads;
}

function checkContent(file: MessageFile, row: FileRow, head: Uint8Array = new Uint8Array()): void {
  const mediaType = mediaTypeOf(head);
  const isImage = mediaType !== null && isImageType(mediaType);
  const isText = mediaType === null && /^(text\/|application\/json$)/.test(row.mime_type);
  const fits = file.type === "image" ? isImage : isText || mediaType === "application/pdf";
  if (!fits) throw errors.fileUnfit(file.id, file.type, row.mime_type, file.param);
  const limit = file.type === "image" ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
  if ((row.size_bytes ?? 0) > limit) throw errors.fileTooLarge(file.id, limit, file.param);
  const fault = isText ? null : mediaFault(head, { isHead: (row.size_bytes ?? 0) > head.length });
  if (fault !== null) throw errors.fileFaulty(file.id, fault, file.param);
}

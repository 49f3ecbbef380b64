import {
  type InputEvent,
  isImageType,
  MAX_DOCUMENT_BYTES,
  MAX_IMAGE_BYTES,
  type MessageBlock,
  mediaTypeOf,
  uuidOrNil,
} from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import { type FileRow, getFiles, lockFiles } from "../files/file-store.ts";
import type { Prepared } from "../session-resources/prepared.ts";
import { insertEventFiles } from "./event-file-store.ts";

export interface PreparedMessageFiles extends Prepared {
  /** Marks the files as those of the session's log, in the transaction that stores the messages. */
  keep(tx: Queryable, sessionId: string): Promise<void>;
}

interface Named {
  type: "image" | "document";
  fileId: string;
  uuid: string;
  param: string;
}

/** The files that messages name, looked at before the messages are stored. `field`: where the events stand in the body. */
export function prepareMessageFiles(
  blobs: BlobStore,
  events: readonly InputEvent[],
  field: string,
): PreparedMessageFiles {
  const named = events.flatMap((event, index) =>
    event.type === "user.message" ? namedIn(event.content, `${field}[${index}]`) : [],
  );
  const uuids = [...new Set(named.map(({ uuid }) => uuid))];
  let rows = new Map<string, FileRow>();
  let heads = new Map<string, Uint8Array>();

  function expectAll(found: readonly FileRow[]): Map<string, FileRow> {
    const byUuid = new Map(found.map((row) => [row.id, row]));
    for (const { uuid, fileId, param } of named)
      if (!byUuid.has(uuid)) throw errors.notFound("file", fileId, param);
    return byUuid;
  }

  return {
    async find(db) {
      if (named.length === 0) return;
      rows = expectAll(await getFiles(db, uuids));
      heads = await readHeads(blobs, [...rows.values()]);
    },
    reach(principal) {
      for (const { uuid, fileId } of named) {
        const row = rows.get(uuid);
        if (row !== undefined && !reaches(principal, row)) throw errors.notYours("file", fileId);
      }
    },
    checkState() {
      for (const one of named) {
        const row = rows.get(one.uuid);
        if (row?.status !== "ready") throw errors.fileNotReady(one.fileId, one.param);
        checkFits(one, row, heads.get(one.uuid));
      }
    },
    ...(named.length === 0 ? {} : { hold: async (tx) => void expectAll(await lockFiles(tx, uuids)) }),
    keep: (tx, sessionId) => insertEventFiles(tx, sessionId, uuids),
  };
}

function namedIn(content: readonly MessageBlock[], message: string): Named[] {
  return content.flatMap((block, index) => {
    if (block.type === "text" || block.source.type !== "file") return [];
    const { file_id: fileId } = block.source;
    const param = `${message}.content[${index}].source.file_id`;
    return [{ type: block.type, fileId, uuid: uuidOrNil("file", fileId), param }];
  });
}

/** The first bytes of each: what a file is called says nothing of what a provider will see in it. */
async function readHeads(blobs: BlobStore, rows: readonly FileRow[]): Promise<Map<string, Uint8Array>> {
  const heads = new Map<string, Uint8Array>();
  for (const { id, status, sha256, size_bytes } of rows) {
    if (status !== "ready" || sha256 === null || size_bytes === 0) continue;
    const head: Buffer[] = [];
    for await (const chunk of blobs.read(sha256, { start: 0, end: 1_023 })) head.push(chunk as Buffer);
    heads.set(id, Buffer.concat(head));
  }
  return heads;
}

function checkFits(named: Named, row: FileRow, head: Uint8Array = new Uint8Array()): void {
  const mediaType = mediaTypeOf(head);
  const isImage = mediaType !== null && isImageType(mediaType);
  const isText = mediaType === null && /^(text\/|application\/json$)/.test(row.mime_type);
  const fits = named.type === "image" ? isImage : isText || mediaType === "application/pdf";
  if (!fits) throw errors.fileUnfit(named.fileId, named.type, row.mime_type, named.param);
  const limit = named.type === "image" ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
  if ((row.size_bytes ?? 0) > limit) throw errors.fileTooLarge(named.fileId, limit, named.param);
}

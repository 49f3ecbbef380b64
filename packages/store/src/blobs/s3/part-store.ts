import type { Queryable } from "../../db/statement.ts";
import { SupersededError } from "../interface/partial-blob.ts";

/** A part of a content that is in S3. */
export interface Part {
  number: number;
  firstByte: number;
  size: number;
  etag: string;
  /** Whether it is an object of its own, because it is too small for a part that others follow. */
  tail: boolean;
}

/** The multipart upload of a content. Its key contains the number. */
export interface Upload {
  id: string;
  number: number;
}

/** The received parts of a content. */
export interface Received {
  upload: Upload | null;
  parts: Part[];
}

/**
 * One request's right to write a content. Each statement rejects with `SupersededError` once another writer
 * has it.
 */
export interface Writer {
  fileId: string;
  writer: string;
}

/** Transfers the right to write the content to this writer, and returns what was received of it. */
export async function takePartial(db: Queryable, { fileId, writer }: Writer): Promise<Received> {
  const { rows } = await db.query<{ id: string | null; number: number | null }>({
    name: "take_partial_content",
    text: `insert into partial_contents (file_id, writer) values ($1, $2)
      on conflict (file_id) do update set writer = $2 returning upload_id as id, upload_number as number`,
    values: [fileId, writer],
  });
  const parts = await db.query<Part>({
    name: "parts_of_content",
    text: `select number, first_byte::double precision as "firstByte", size::double precision as size, etag, tail
      from file_parts where file_id = $1 order by first_byte, number`,
    values: [fileId],
  });
  const { id = null, number = null } = rows[0] ?? {};
  return { upload: id === null || number === null ? null : { id, number }, parts: parts.rows };
}

/**
 * Stores the content's multipart upload, or none.
 * @throws SupersededError
 */
export async function storeUpload(
  db: Queryable,
  { fileId, writer }: Writer,
  upload: Upload | null,
): Promise<void> {
  const { rowCount } = await db.query({
    name: "store_multipart_upload",
    text: "update partial_contents set upload_id = $3, upload_number = $4 where file_id = $1 and writer = $2",
    values: [fileId, writer, upload?.id ?? null, upload?.number ?? null],
  });
  if (rowCount === 0) throw superseded();
}

/**
 * Returns a number that nothing else of the content has or had.
 * @throws SupersededError
 */
export async function nextNumber(db: Queryable, { fileId, writer }: Writer): Promise<number> {
  const { rows } = await db.query<{ last_number: number }>({
    name: "next_part_number",
    text: `update partial_contents set last_number = last_number + 1 where file_id = $1 and writer = $2
      returning last_number`,
    values: [fileId, writer],
  });
  if (rows[0] === undefined) throw superseded();
  return rows[0].last_number;
}

/**
 * Stores a received part.
 * @throws SupersededError
 */
export async function storePart(db: Queryable, { fileId, writer }: Writer, part: Part): Promise<void> {
  const { rowCount } = await db.query({
    name: "store_part",
    text: `insert into file_parts (file_id, number, first_byte, size, etag, tail)
      select file_id, $3, $4, $5, $6, $7 from partial_contents where file_id = $1 and writer = $2 for update`,
    values: [fileId, writer, part.number, part.firstByte, part.size, part.etag, part.tail],
  });
  if (rowCount === 0) throw superseded();
}

/**
 * Deletes the rows of parts by their numbers.
 * @throws SupersededError
 */
export async function deleteParts(
  db: Queryable,
  { fileId, writer }: Writer,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const { rowCount } = await db.query({
    name: "delete_parts",
    text: `with held as (select file_id from partial_contents where file_id = $1 and writer = $2 for update),
        deleted as (delete from file_parts using held
          where file_parts.file_id = held.file_id and number = any($3::integer[]))
      select 1 from held`,
    values: [fileId, writer, numbers],
  });
  if (rowCount === 0) throw superseded();
}

/** Deletes the content's row and so its parts, unless another writer has taken over. */
export async function deletePartial(db: Queryable, { fileId, writer }: Writer): Promise<void> {
  await db.query({
    name: "delete_partial_content",
    text: "delete from partial_contents where file_id = $1 and writer = $2",
    values: [fileId, writer],
  });
}

/** Returns whether a partial content has a row: something was received and not removed. */
export async function hasPartial(db: Queryable, fileId: string): Promise<boolean> {
  const { rows } = await db.query({
    name: "has_partial_content",
    text: "select 1 as found from partial_contents where file_id = $1",
    values: [fileId],
  });
  return rows.length > 0;
}

/** Returns all partial contents with their uploads. */
export async function listPartials(db: Queryable): Promise<{ fileId: string; uploadId: string | null }[]> {
  const { rows } = await db.query<{ fileId: string; uploadId: string | null }>({
    name: "list_partial_contents",
    text: `select file_id as "fileId", upload_id as "uploadId" from partial_contents`,
  });
  return rows;
}

function superseded(): SupersededError {
  return new SupersededError("Another request is sending this content, or the content was removed.");
}

/** Ensures that only one transaction at a time names the store. */
export async function lockStoreName(tx: Queryable): Promise<void> {
  await tx.query({
    name: "lock_store_name",
    text: "select pg_advisory_xact_lock(hashtextextended('name of the store of contents', 0))",
  });
}

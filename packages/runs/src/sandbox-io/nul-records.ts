const NUL = 0;

/**
 * Returns the first `max` records, each terminated by a NUL, of a listing from the sandbox, and whether there
 * are more. The output is hostile and may be all NULs, so no more than `max` records are ever created.
 */
export function listedRecords(bytes: Buffer, max: number): { records: Buffer[]; more: boolean } {
  const records: Buffer[] = [];
  let from = 0;
  let to = bytes.indexOf(NUL);
  while (to >= 0 && records.length < max) {
    records.push(bytes.subarray(from, to));
    from = to + 1;
    to = bytes.indexOf(NUL, from);
  }
  return { records, more: to >= 0 };
}

/** The most bytes of a file's record: a path of 4,096 bytes with its numbers. */
export const MAX_RECORD_BYTES = 4_096 + 160;

/** A file listed in the sandbox. All of it is hostile, so false values must do no harm where it is used. */
export interface ListedFile {
  /** The path, in the bytes of the filesystem. */
  path: Buffer;
  size: number;
  /** A string that changes whenever the file does. */
  stamp: string;
  /** Whether the file was changed so recently that another change might keep the stamp. */
  recent: boolean;
}

/**
 * Parses a record `size modified changed inode path`. Returns null when it has another form.
 *
 * @param now seconds of the clock in the sandbox.
 * @param grain seconds within which two changes may have the same stamp.
 */
export function parseFileRecord(record: Buffer, now: number, grain: number): ListedFile | null {
  const head = /^(\d{1,16}) (-?[\d.]+) (-?[\d.]+) (\d+) /.exec(record.toString("latin1"));
  if (head === null) return null;
  const [fields, size, , changed] = head;
  const recent = !(now - Number(changed) > grain);
  return { path: record.subarray(fields.length), size: Number(size), stamp: fields.trim(), recent };
}

const NUL = 0;

/**
 * The first `max` records of what a command in the sandbox listed, each terminated by a NUL, and whether there are more. The
 * output is hostile and may be all NULs: no more than `max` records are ever created.
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

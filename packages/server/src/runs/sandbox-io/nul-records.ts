const NUL = 0;

/**
 * The first `most` of the records in what a command inside has listed, each ended by a NUL, and whether there are more of
 * them. What comes from inside may be all NULs: of millions of records as little is made as of a few.
 */
export function listedRecords(bytes: Buffer, most: number): { records: Buffer[]; more: boolean } {
  const records: Buffer[] = [];
  let from = 0;
  let to = bytes.indexOf(NUL);
  while (to >= 0 && records.length < most) {
    records.push(bytes.subarray(from, to));
    from = to + 1;
    to = bytes.indexOf(NUL, from);
  }
  return { records, more: to >= 0 };
}

const [SLASH, DOT] = [0x2f, 0x2e];
const MAX_NAME_BYTES = 255;

/**
 * Returns whether the bytes are a single path component. The sandbox reports names of directory entries, and
 * Linux allows no others. So any other name was made up by a process of the sandbox, in order to lead a
 * joined path out of the directory.
 */
export function isEntryName(name: Buffer): boolean {
  if (name.length === 0 || name.length > MAX_NAME_BYTES || name.includes(0) || name.includes(SLASH))
    return false;
  return name.length > 2 || name.some((byte) => byte !== DOT);
}

/**
 * Returns whether the bytes are a path below the directory to which it is relative: one or more such names.
 */
export function isPathBelow(path: Buffer): boolean {
  for (let from = 0; ; ) {
    const to = path.indexOf(SLASH, from);
    if (!isEntryName(path.subarray(from, to < 0 ? path.length : to))) return false;
    if (to < 0) return true;
    from = to + 1;
  }
}

const [SLASH, DOT] = [0x2f, 0x2e];
const MAX_NAME_BYTES = 255;

/**
 * Whether bytes that a sandbox names an entry of a directory are one component of a path. Linux knows no others, so any other name was made
 * up by a process of the sandbox, to lead whoever joins it to a path out of the directory.
 */
export function isEntryName(name: Buffer): boolean {
  if (name.length === 0 || name.length > MAX_NAME_BYTES || name.includes(0) || name.includes(SLASH))
    return false;
  return name.length > 2 || name.some((byte) => byte !== DOT);
}

/** Whether bytes are a path below the directory that it is relative to: one or more such names. */
export function isPathBelow(path: Buffer): boolean {
  for (let from = 0; ; ) {
    const to = path.indexOf(SLASH, from);
    if (!isEntryName(path.subarray(from, to < 0 ? path.length : to))) return false;
    if (to < 0) return true;
    from = to + 1;
  }
}

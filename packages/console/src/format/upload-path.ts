/**
 * Returns a file's default path in the sandbox: a directory named by its id, which is unique, and its own
 * name.
 */
export function uploadPath(fileId: string, name: string): string {
  return `/mnt/session/uploads/${fileId}/${fileName(name)}`;
}

/** Returns a name that needs no shell quoting, with the same ending. */
function fileName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_").slice(-100);
  return /^\.{0,2}$/.test(plain) ? "file" : plain;
}

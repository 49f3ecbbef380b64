/** Where a file lies in the sandbox if nobody says otherwise: by its id, which nothing else has, and under its own name. */
export function uploadPath(fileId: string, name: string): string {
  return `/mnt/session/uploads/${fileId}/${fileName(name)}`;
}

/** A name that needs no quotes in a shell, and ends as the file's own name does. */
function fileName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_").slice(-100);
  return /^\.{0,2}$/.test(plain) ? "file" : plain;
}

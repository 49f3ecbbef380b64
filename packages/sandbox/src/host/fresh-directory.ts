import { mkdir } from "node:fs/promises";
import { posix } from "node:path";

/** Makes `PREFIX.0`, or the first that is free: several engines in one process have a directory each. */
export async function freshDirectory(prefix: string): Promise<string> {
  for (let number = 0; ; number++) {
    const path = `${prefix}.${number}`;
    const made = await mkdir(path, { mode: 0o711 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
        return false;
      },
    );
    if (made) return posix.normalize(path);
  }
}

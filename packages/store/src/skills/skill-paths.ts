const MAX_PATH_BYTES = 512;
const MAX_SEGMENT_BYTES = 255;
/**
 * Maximum number of directories in a path. Each is created on disk, so without it 500 short paths could mean
 * a hundred thousand directories.
 */
const MAX_DIRECTORIES = 32;

/**
 * Returns, as a predicate, why a path of an upload is not valid below a skill's directory, or null when it is
 * valid.
 */
export function pathFault(path: string): string | null {
  if (path === "") return "is empty";
  if (path.startsWith("/")) return "is absolute";
  if (path.includes("\\")) return "has a backslash";
  if (/[\u0000-\u001f\u007f]/.test(path)) return "has control characters";
  if (path.includes("\ufffd") || !path.isWellFormed()) return "is not valid UTF-8";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  const segments = path.split("/");
  if (segments.length > MAX_DIRECTORIES + 1) return `lies deeper than ${MAX_DIRECTORIES} directories`;
  if (segments.includes("..")) return "leads out of its directory";
  if (segments.some((segment) => segment === "" || segment === ".")) return "has an empty part";
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)) {
    return `has a name of more than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return null;
}

/** Returns whether the path is a metadata file that macOS adds to archives. */
export function isIgnored(path: string): boolean {
  return path.startsWith("__MACOSX/") || path === ".DS_Store" || path.endsWith("/.DS_Store");
}

/** Returns a path that is both a file and the directory of another path, or null when there is none. */
export function fileAndDirectory(paths: ReadonlySet<string>): string | null {
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (paths.has(path.slice(0, end))) return path.slice(0, end);
    }
  }
  return null;
}

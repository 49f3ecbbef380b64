/**
 * What is wrong with a path from the root, as a sentence about `{field}`; null for one of at most 1,024 bytes, without
 * empty, `.` or `..` segments, segments longer than a file's name can be, or control characters.
 */
export function absolutePathFault(path: string): string | null {
  if (!path.startsWith("/")) return "Field '{field}' must be an absolute path.";
  if (Buffer.byteLength(path) > 1024) return "Field '{field}' must be at most 1024 bytes long.";
  // Control characters, and lone surrogates, which no file name can hold.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path) || !path.isWellFormed())
    return "Field '{field}' must not contain control characters.";
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return "Field '{field}' must not have empty, '.' or '..' segments.";
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > 255)) {
    return "Field '{field}' must not have a segment longer than 255 bytes.";
  }
  return null;
}

/**
 * Returns a safe name to save a file under, from a path that an agent or a user chose. That is its last
 * component, split at backslashes too, without characters that some systems forbid. Returns `download` if
 * nothing is left.
 */
export function savedName(path: string): string {
  const last = path.split(/[/\\]/).at(-1) ?? "";
  const name = last.replaceAll(/[\u0000-\u001f\u007f-\u009f<>:"|?*]/g, "_").replace(/[. ]+$/, "");
  return name === "" ? "download" : name;
}

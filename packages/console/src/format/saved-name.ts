/**
 * The name under which a file is saved, of a path or name that an agent or a user chose: its last component, also where a system takes
 * backslashes for slashes, without what no system has in names. `download` if nothing is left.
 */
export function savedName(path: string): string {
  const last = path.split(/[/\\]/).at(-1) ?? "";
  const name = last.replaceAll(/[\u0000-\u001f\u007f-\u009f<>:"|?*]/g, "_").replace(/[. ]+$/, "");
  return name === "" ? "download" : name;
}

/** Splits an argument such as `open_sessions=50` at its first equals sign. A missing part is empty. */
export function nameAndValue(given: string): [name: string, value: string] {
  const at = given.indexOf("=");
  return at === -1 ? [given, ""] : [given.slice(0, at), given.slice(at + 1)];
}

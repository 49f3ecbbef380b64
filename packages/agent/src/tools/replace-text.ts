/**
 * Replaces every occurrence of a text in bytes of any encoding, and tells how many there were. Text in plain line ends
 * that is not there is looked for, and put in, with CR LF.
 */
export function replaceText(
  bytes: Buffer,
  oldText: string,
  newText: string,
): { bytes: Buffer; count: number } {
  const exact = replaceBytes(bytes, Buffer.from(oldText), Buffer.from(newText));
  if (exact.count > 0 || !oldText.includes("\n") || !bytes.includes("\r\n")) return exact;
  return replaceBytes(bytes, Buffer.from(withCrLf(oldText)), Buffer.from(withCrLf(newText)));
}

function replaceBytes(bytes: Buffer, old: Buffer, replacement: Buffer): { bytes: Buffer; count: number } {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, from)) {
    parts.push(bytes.subarray(from, at), replacement);
    from = at + old.length;
  }
  parts.push(bytes.subarray(from));
  return { bytes: Buffer.concat(parts), count: (parts.length - 1) / 2 };
}

function withCrLf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

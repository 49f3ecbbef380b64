/** An encoding in which compressed files are stored beside their content. */
export type Encoding = "br" | "gzip";

/** Returns the encoding of a response to a request with this `accept-encoding`; null for no encoding. */
export function encodingFor(header: string | string[] | undefined): Encoding | null {
  const accepted = listed(header)
    .map((item) => item.toLowerCase().replaceAll(" ", "").split(";q="))
    .filter(([, quality = "1"]) => Number(quality) > 0)
    .map(([name]) => name);
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding)) ?? null;
}

/** Returns the items of a header that is a list. */
export function listed(header: string | string[] | undefined): string[] {
  return String(header ?? "")
    .split(",")
    .map((item) => item.trim());
}

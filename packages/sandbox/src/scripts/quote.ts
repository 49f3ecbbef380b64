/** Quotes text as one word for a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

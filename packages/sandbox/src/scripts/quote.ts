/** One word of shell text that stands for exactly these characters. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Text of at most about `longest` characters: its beginning and its end, with a line between them that tells what is missing. */
export function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.max(0, Math.floor((longest - 60) / 2));
  const head = text.slice(0, half).toWellFormed();
  const tail = text.slice(text.length - half).toWellFormed();
  return `${head}\n[… ${text.length - 2 * half} characters left out …]\n${tail}`;
}

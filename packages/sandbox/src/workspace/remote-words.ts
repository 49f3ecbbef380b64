const MAX_WORDS = 300;
/** What git's servers report while they work. */
const PROGRESS =
  /^(Enumerating objects|Counting objects|Compressing objects|Total \d|Finding sources|Getting sizes)/;

/**
 * What the host of a repository said by itself, by git's output: its `remote:` lines, and errors in its protocol. One line of at most 300
 * characters without the secrets; null when it said nothing.
 */
export function remoteWords(output: string, secrets: readonly string[]): string | null {
  const lines = output.split(/[\r\n]+/).flatMap((line) => {
    const said = /^(?:remote|fatal: remote error):(.*)$/.exec(line)?.[1] ?? "";
    const text = said.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").replace(/[\p{Cc}\p{Cf}]/gu, " ");
    return text.trim() === "" || PROGRESS.test(text.trim()) ? [] : [text.trim().replace(/ +/g, " ")];
  });
  // Before they are cut: a part of a secret would stay.
  const words = withoutSecrets([...new Set(lines)].join(" "), secrets);
  if (words === "") return null;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).trimEnd()}…` : words;
}

/** Whether the server's own git failed, which another attempt does not mend: it lacks memory, or objects. */
export function remoteFailed(output: string): boolean {
  return /^remote: *(fatal|error): /m.test(output);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter(Boolean).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return forms.reduce((masked, form) => masked.replaceAll(form, "[redacted]"), text);
}

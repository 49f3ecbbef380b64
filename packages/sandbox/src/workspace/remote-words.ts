const MAX_WORDS = 300;
/** Progress messages of git servers. */
const PROGRESS =
  /^(Enumerating objects|Counting objects|Compressing objects|Total \d|Finding sources|Getting sizes)/;

/**
 * Returns the host's own words in git's output: its `remote:` lines, and errors in its protocol. The result
 * is one line of about 300 characters at most, without the secrets; null when the host said nothing.
 */
export function remoteWords(output: string, secrets: readonly string[]): string | null {
  const lines = output.split(/[\r\n]+/).flatMap((line) => {
    const said = /^(?:remote|fatal: remote error):(.*)$/.exec(line)?.[1] ?? "";
    const text = said.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").replace(/[\p{Cc}\p{Cf}]/gu, " ");
    return text.trim() === "" || PROGRESS.test(text.trim()) ? [] : [text.trim().replace(/ +/g, " ")];
  });
  // Redacted before the text is cut, since a part of a secret would remain otherwise.
  const words = withoutSecrets([...new Set(lines)].join(" "), secrets);
  if (words === "") return null;
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS).trimEnd()}…` : words;
}

/**
 * Returns whether git failed on the server, for lack of memory or objects. Another attempt would not help.
 */
export function remoteFailed(output: string): boolean {
  return /^remote: *(fatal|error): /m.test(output);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter(Boolean).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return forms.reduce((masked, form) => masked.replaceAll(form, "[redacted]"), text);
}

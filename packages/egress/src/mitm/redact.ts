import { ByteAutomaton } from "./byte-automaton.ts";
import { ByteReplacement } from "./byte-replacement.ts";
import { ByteReplacer } from "./byte-replacer.ts";
import { commonForms, encodedForms } from "./encoded-forms.ts";
import { isMaskable } from "./maskable-secret.ts";
import type { ProxiedCredential } from "./proxied-credential.ts";
import { withTokenPrefix } from "./token-prefix.ts";

/** Total bytes of forms after which only the most common forms of further credentials are searched for. */
const MAX_FORMS = 1024 * 1024;

/** Replaces the values of credentials in a response with their placeholders. */
export interface Redactor {
  /** Redacts a text that has one character per byte. */
  text(text: string): string;
  /** Returns a stream that redacts a body. */
  stream(): ByteReplacer;
  /**
   * Returns a stream for a body whose length must not change: placeholders are cut, or padded with asterisks.
   */
  streamOfSameLength(): ByteReplacer;
}

/** Approximate bytes of recent redactors to keep, since each response of a host needs the same one. */
const MAX_KEPT = 32 * 1024 * 1024;
const kept = new Map<string, { redactor: Redactor; size: number }>();

/** Returns the redactor for some credentials. Recent ones are cached, since making one takes long. */
export function createRedactor(credentials: readonly ProxiedCredential[]): Redactor {
  const key = JSON.stringify(credentials.map(({ value, placeholder }) => [value, placeholder]));
  const made = kept.get(key) ?? makeRedactor(credentials);
  kept.delete(key);
  kept.set(key, made);
  let size = kept.values().reduce((sum, one) => sum + one.size, 0);
  for (const [other, one] of kept) {
    if (size <= MAX_KEPT) break;
    kept.delete(other);
    size -= one.size;
  }
  return made.redactor;
}

function makeRedactor(credentials: readonly ProxiedCredential[]): { redactor: Redactor; size: number } {
  const replacements = replacementsOf(credentials);
  const automaton = new ByteAutomaton([...replacements.keys()].map(bytesOf));
  const puts = [...replacements.values()].map(bytesOf);
  const padded = [...replacements].map(([find, put]) =>
    bytesOf(put.padEnd(find.length, "*").slice(0, find.length)),
  );
  const redactor = {
    text: (text: string) => replaced(text, new ByteReplacement(automaton, puts)),
    stream: () => new ByteReplacer(new ByteReplacement(automaton, puts)),
    streamOfSameLength: () => new ByteReplacer(new ByteReplacement(automaton, padded)),
  };
  return { redactor, size: automaton.size };
}

/** Returns the replacement for each form of each credential. */
function replacementsOf(credentials: readonly ProxiedCredential[]): Map<string, string> {
  const replacements = new Map<string, string>();
  let length = 0;
  for (const { value, placeholder } of credentials) {
    if (!isMaskable(value)) continue;
    const inside = withTokenPrefix(value, placeholder);
    for (const form of length > MAX_FORMS ? commonForms(value) : encodedForms(value)) {
      replacements.set(form, inside);
      length += form.length;
    }
  }
  return replacements;
}

function replaced(text: string, replacement: ByteReplacement): string {
  const parts = [replacement.write(bytesOf(text)), replacement.end()];
  return Buffer.concat(parts).toString("latin1");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

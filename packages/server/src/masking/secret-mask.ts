import { findSecrets } from "./find-secrets.ts";
import { FormTrie } from "./form-trie.ts";
import { MaskedStream } from "./masked-stream.ts";
import { type SecretForm, secretForms } from "./secret-forms.ts";
import type { Range } from "./secret-scan.ts";

const MASK = "[redacted]";
const MIN_LENGTH = 6;
const MAX_SECRETS = 1_000;
/** A thousand tokens take a twentieth of it. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Replaces secrets in what an agent says by `[redacted]`: plain, in the usual encodings, in any case, in UTF-16, and folded by
 * line ends, blanks, control characters and colours. A text without them stays as it is, byte for byte.
 */
export class SecretMask {
  readonly #maxCharacters: number;
  readonly #secrets = new Map<string, readonly SecretForm[]>();
  #characters = 0;
  #trie: FormTrie | undefined;

  /** @param maxCharacters of all forms of all secrets. */
  constructor(maxCharacters: number = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /** Adds a secret of at least 6 characters. The newest thousand are kept, within a limit; the longest is dropped first. */
  readonly add = (secret: string): void => {
    if (secret.length < MIN_LENGTH) return;
    const known = this.#secrets.get(secret);
    if (known === undefined) this.#trie = undefined;
    this.#drop(secret);
    const forms = known ?? secretForms(secret);
    this.#secrets.set(secret, forms);
    this.#characters += lengthOf(forms);
    const [oldest] = this.#secrets.keys();
    if (this.#secrets.size > MAX_SECRETS && oldest !== undefined) this.#drop(oldest);
    while (this.#characters > this.#maxCharacters) this.#drop(longestOf(this.#secrets.keys()));
  };

  readonly mask = (text: string): string => {
    if (this.#secrets.size === 0) return text;
    return masked(text, findSecrets(this.#current(), text, true).ranges, text.length);
  };

  /** Masks a text that arrives in pieces: together they become what `mask` makes of the whole. */
  stream(): MaskedStream {
    return new MaskedStream((text, isWhole) => {
      if (this.#secrets.size === 0) return { text, rest: "" };
      const { ranges, openFrom } = findSecrets(this.#current(), text, isWhole);
      const end = isWhole ? text.length : closedEnd(ranges, openFrom);
      return { text: masked(text, ranges, end), rest: text.slice(end) };
    });
  }

  #current(): FormTrie {
    this.#trie ??= new FormTrie([...this.#secrets.values()].flat());
    return this.#trie;
  }

  #drop(secret: string): void {
    const forms = this.#secrets.get(secret);
    if (forms === undefined) return;
    this.#characters -= lengthOf(forms);
    this.#secrets.delete(secret);
  }
}

/** The text before `end`, with the ranges that lie there replaced. */
function masked(text: string, ranges: readonly Range[], end: number): string {
  let result = "";
  let done = 0;
  for (const range of union(ranges)) {
    if (range.end > end) break;
    result += text.slice(done, range.start) + MASK;
    done = range.end;
  }
  return result + text.slice(done, end);
}

/** The last place up to `openFrom` that lies within no range. */
function closedEnd(ranges: readonly Range[], openFrom: number): number {
  const across = union(ranges).find(({ start, end }) => start < openFrom && openFrom < end);
  return across?.start ?? openFrom;
}

function union(ranges: readonly Range[]): Range[] {
  const united: Range[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = united.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else united.push({ start, end });
  }
  return united;
}

function lengthOf(forms: readonly SecretForm[]): number {
  return forms.reduce((length, { units }) => length + units.length, 0);
}

function longestOf(secrets: Iterable<string>): string {
  let longest = "";
  for (const secret of secrets) if (secret.length > longest.length) longest = secret;
  return longest;
}

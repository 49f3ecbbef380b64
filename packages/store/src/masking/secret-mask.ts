import { isGuessable, isMaskable } from "@berth/egress/maskable-secret";
import { FormTrie } from "./form-trie.ts";
import { MaskedStream } from "./masked-stream.ts";
import { type SecretForm, secretForms } from "./secret-forms.ts";

const MAX_SECRETS = 1_000;
/** Maximum number of units in all forms of all secrets. A thousand tokens take a twentieth of it. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Replaces secrets in an agent's output by `[redacted]`: plain, in the usual encodings, in any case and in
 * UTF-16. Line ends, blanks, control characters, colours and prefixes of lines by tools may be in between. A
 * text without secrets stays as it is, byte for byte.
 */
export class SecretMask {
  readonly #maxCharacters: number;
  readonly #secrets = new Map<string, readonly SecretForm[]>();
  #characters = 0;
  #trie: FormTrie | undefined;
  /** Masks whole texts, one after another. */
  readonly #whole = this.stream();

  /** @param maxCharacters Maximum number of units in all forms of all secrets. */
  constructor(maxCharacters: number = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /**
   * Adds a secret that the writer of the texts may have, if it is maskable. The newest thousand are kept,
   * within a limit; the longest is dropped first.
   */
  readonly add = (secret: string): void => {
    if (isMaskable(secret)) this.#add(secret, false);
  };

  /**
   * Adds a secret that the writer of the texts never had. Masking must not tell the writer anything that can
   * be found by trying. So a secret that can be guessed is not added, and a long one is masked only as a
   * whole.
   */
  readonly addUnknown = (secret: string): void => {
    if (!isGuessable(secret)) this.#add(secret, true);
  };

  #add(secret: string, wholly: boolean): void {
    const known = this.#secrets.get(secret);
    const isKept = known !== undefined && (wholly || known.every((form) => !form.wholly));
    if (!isKept) this.#trie = undefined;
    this.#drop(secret);
    const forms = isKept ? known : secretForms(secret, wholly);
    this.#secrets.set(secret, forms);
    this.#characters += lengthOf(forms);
    const [oldest] = this.#secrets.keys();
    if (this.#secrets.size > MAX_SECRETS && oldest !== undefined) this.#drop(oldest);
    while (this.#characters > this.#maxCharacters) this.#drop(longestOf(this.#secrets.keys()));
  }

  readonly mask = (text: string): string => {
    return this.#secrets.size === 0 ? text : this.#whole.write(text) + this.#whole.end();
  };

  /** Returns a stream that masks a text in pieces; joined, they equal the result of `mask` for the whole. */
  stream(): MaskedStream {
    return new MaskedStream(() => this.#current());
  }

  #current(): FormTrie | null {
    if (this.#secrets.size === 0) return null;
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

function lengthOf(forms: readonly SecretForm[]): number {
  return forms.reduce((length, { units }) => length + units.length, 0);
}

function longestOf(secrets: Iterable<string>): string {
  let longest = "";
  for (const secret of secrets) if (secret.length > longest.length) longest = secret;
  return longest;
}

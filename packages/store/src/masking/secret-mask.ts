import { isGuessable, isMaskable } from "@berth/egress/maskable-secret";
import { FormTrie } from "./form-trie.ts";
import { MaskedStream } from "./masked-stream.ts";
import { type SecretForm, secretForms } from "./secret-forms.ts";

const MAX_SECRETS = 1_000;
/** A thousand tokens take a twentieth of it. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Replaces secrets in what an agent says by `[redacted]`: plain, in the usual encodings, in any case, in UTF-16, and folded by
 * line ends, blanks, control characters, colours, and what tools put before lines. A text without them stays as it is, byte for
 * byte.
 */
export class SecretMask {
  readonly #maxCharacters: number;
  readonly #secrets = new Map<string, readonly SecretForm[]>();
  #characters = 0;
  #trie: FormTrie | undefined;
  /** For whole texts, one after the other. */
  readonly #whole = this.stream();

  /** @param maxCharacters of all forms of all secrets. */
  constructor(maxCharacters: number = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /**
   * Adds a secret that whoever wrote the texts may have, if it is maskable. The newest thousand are kept, within a limit; the longest
   * is dropped first.
   */
  readonly add = (secret: string): void => {
    if (isMaskable(secret)) this.#add(secret, false);
  };

  /**
   * Adds a secret that whoever wrote the texts never had. What masking hides must tell them nothing that they could find by trying:
   * so one that can be guessed is not added, and of a long one only the whole is masked.
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

  /** Masks a text that arrives in pieces: together they become what `mask` makes of the whole. */
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

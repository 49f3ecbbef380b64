import { foldedText } from "./folding.ts";

/** One way in which a secret is written, as it is compared. */
export interface SecretForm {
  /** Folded, see `FOLDED`. */
  units: Uint16Array;
  /** How many blanks must stand between its characters; null for any number. */
  blanks: number | null;
  /** Whether only the whole counts: of a long form, else its beginning is masked, too. */
  wholly: boolean;
}

/** Shorter forms are parts of ordinary words. */
const MIN_UNITS = 4;
/** A shorter one of letters alone may be an ordinary word, which the words of a text could form. */
const MIN_LETTERS = 16;

/**
 * Plain, hexadecimal with and without signs between the bytes, base64 at each alignment; what is not ASCII also in the encodings of JSON and URLs.
 *
 * @param wholly see `SecretForm`.
 */
export function secretForms(secret: string, wholly = false): SecretForm[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const hexForms = [hex, hex.replaceAll(/..(?!$)/g, "$&:"), hex.replaceAll(/../g, "%$&")];
  const encoded = [...hexForms, ...base64Forms(bytes), ...nonAsciiForms(secret)];
  const forms = [
    { units: foldedText(secret), blanks: blanksOf(secret), wholly },
    ...encoded.map((text) => ({ units: foldedText(text), blanks: null, wholly })),
  ];
  return forms.filter(({ units }) => units.length >= MIN_UNITS);
}

/** Without the characters at the ends that also hold bits of the surrounding text, and so vary. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
}

/** ASCII in these encodings is decoded before it is compared. */
function nonAsciiForms(secret: string): string[] {
  if (!/[^\u0000-\u007f]/.test(secret)) return [];
  return [encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString("latin1")];
}

function blanksOf(secret: string): number | null {
  const mayBeWords = /^[\p{L}\s]*$/u.test(secret) && foldedText(secret).length < MIN_LETTERS;
  return mayBeWords ? (secret.trim().match(/[ \t\u00a0]/g)?.length ?? 0) : null;
}

import { foldedText } from "./folding.ts";

/** One way in which a secret is written, in the form for comparison. */
export interface SecretForm {
  /** Folded units; see `FOLDED`. */
  units: Uint16Array;
  /** Required number of blanks between its characters; null for any number. */
  blanks: number | null;
  /** Whether a long form is masked only as a whole; otherwise its beginning is masked too. */
  wholly: boolean;
}

/** Minimum number of units; shorter forms are parts of ordinary words. */
const MIN_UNITS = 4;
/**
 * Minimum number of units of a form of letters alone that is found with any blanks. Ordinary words of a text
 * could form a shorter one.
 */
const MIN_LETTERS = 16;

/**
 * Returns the forms of a secret: plain, hexadecimal with and without separators, and base64 at each
 * alignment. A secret with characters outside ASCII also has the form of a URL component and of its UTF-8
 * bytes.
 * @param wholly See `SecretForm`.
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

/**
 * Returns the base64 forms, without the characters at the ends, which also contain bits of the surrounding
 * text and so vary.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
}

/**
 * Returns additional forms of a secret with characters outside ASCII. ASCII needs none, since its escapes are
 * decoded before the comparison.
 */
function nonAsciiForms(secret: string): string[] {
  if (!/[^\u0000-\u007f]/.test(secret)) return [];
  return [encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString("latin1")];
}

function blanksOf(secret: string): number | null {
  const mayBeWords = /^[\p{L}\s]*$/u.test(secret) && foldedText(secret).length < MIN_LETTERS;
  return mayBeWords ? (secret.trim().match(/[ \t\u00a0]/g)?.length ?? 0) : null;
}

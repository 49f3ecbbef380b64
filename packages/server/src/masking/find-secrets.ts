import { BACKSLASH, characterAt, type Escaping, PERCENT } from "./escaped-character.ts";
import type { FormTrie } from "./form-trie.ts";
import { type Range, SecretScan } from "./secret-scan.ts";
import { TerminalEscapes } from "./terminal-escapes.ts";

/** What was found in a text. */
export interface Findings {
  /** In no order; they may overlap. */
  ranges: Range[];
  /** From here on the text has to be seen again when it goes on: a secret may have begun. */
  openFrom: number;
}

/**
 * Searches a text as it is written, without a terminal's escape sequences, without soft line breaks, and with escaped characters
 * decoded: each reading finds what another one misreads. Takes time in proportion to the text.
 *
 * @param isWhole false when the text may go on.
 */
export function findSecrets(trie: FormTrie, text: string, isWhole: boolean): Findings {
  const ranges: Range[] = [];
  const readings: Reading[] = [readPlain];
  if (/[\u001b\u009b]/.test(text)) readings.push(readOnTerminal);
  if (/=\r?(?:\n|$)/.test(text)) readings.push(readJoined);
  for (const escaping of [PERCENT, BACKSLASH])
    if (text.includes(escaping.sign)) readings.push((...parts) => readDecoded(escaping, ...parts));
  const open = readings.map((read) => read(new SecretScan(trie, ranges), text, isWhole));
  const openFrom = Math.min(text.length, ...open);
  return { ranges, openFrom };
}

/** Adds the characters of a text, and returns where it has to be seen again. */
type Reading = (scan: SecretScan, text: string, isWhole: boolean) => number;

function readPlain(scan: SecretScan, text: string): number {
  for (let index = 0; index < text.length; index++) scan.add(text.charCodeAt(index), index, index + 1);
  return scan.openFrom();
}

function readOnTerminal(scan: SecretScan, text: string): number {
  const escapes = new TerminalEscapes();
  let sequence = 0;
  for (let index = 0; index < text.length; index++) {
    if (!escapes.isOpen()) sequence = index;
    const character = text.charCodeAt(index);
    if (!escapes.takes(character)) scan.add(character, index, index + 1);
  }
  return Math.min(scan.openFrom(), escapes.isOpen() ? sequence : text.length);
}

/** Without the soft line breaks of mails. */
function readJoined(scan: SecretScan, text: string, isWhole: boolean): number {
  for (let index = 0; index < text.length; index++) {
    const rest = text[index] === "=" ? text.slice(index + 1, index + 3) : null;
    if (!isWhole && (rest === "" || rest === "\r")) return Math.min(scan.openFrom(), index);
    const isBreak = rest !== null && /^\r?\n/.test(rest);
    if (!isBreak) scan.add(text.charCodeAt(index), index, index + 1);
  }
  return scan.openFrom();
}

function readDecoded(escaping: Escaping, scan: SecretScan, text: string, isWhole: boolean): number {
  const escapes = new TerminalEscapes();
  let sequence = 0;
  for (let index = 0; index < text.length; ) {
    const written = characterAt(escaping, text, index, isWhole);
    if (written === null) return Math.min(scan.openFrom(), index, escapes.isOpen() ? sequence : index);
    if (!escapes.isOpen()) sequence = index;
    const end = index + written.length;
    if (!escapes.takes(written.character)) scan.add(written.character, index, end);
    index = end;
  }
  return Math.min(scan.openFrom(), escapes.isOpen() ? sequence : text.length);
}

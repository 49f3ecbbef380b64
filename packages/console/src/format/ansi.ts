import Anser from "anser";
import { showUnseen } from "./visible-text.ts";

/**
 * A run of text in one style. `color` is set for a colour without a class: of the 256-colour palette, or true
 * colour.
 */
export type AnsiPiece = { text: string; names: readonly string[]; color: string | null };

/**
 * OSC, DCS and similar sequences up to their end, and control sequences other than those that set colours.
 */
const OTHER_SEQUENCES =
  /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b\[[0-?]*[ -/]*[@-ln-~]|\u001b[ -/]*[0-OQ-WYZ\\`-~]/g;

/**
 * Converts a program's output to what a terminal would show: text with colours, overwritten lines in their
 * last state, and names for other invisible characters.
 */
export function ansiPieces(output: string): AnsiPiece[] {
  const text = settled(output);
  if (!text.includes("\u001b["))
    return text === "" ? [] : [{ text: showUnseen(text), names: [], color: null }];
  return Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(pieceOf);
}

/** Returns the same text without colours. */
export function ansiText(output: string): string {
  return showUnseen(settled(output).replaceAll(/\u001b\[[\d;:]*m/g, ""));
}

function settled(output: string): string {
  return output
    .replaceAll(OTHER_SEQUENCES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?=[^\n])/gm, "")
    .replaceAll("\r", "");
}

function pieceOf({ content, fg, fg_truecolor, decorations }: Anser.AnserJsonEntry): AnsiPiece {
  const named =
    typeof fg === "string" && /^ansi-(bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/.test(fg);
  const color = named || !fg ? null : fg === "ansi-truecolor" ? `rgb(${fg_truecolor})` : paletteColor(fg);
  const names = [
    ...(named ? [fg.replace("bright-", "")] : []),
    ...(decorations ?? []).map((name) => `ansi-${name}`),
  ];
  return { text: showUnseen(content), names, color };
}

/**
 * Returns a colour of the 256-colour palette: a 6×6×6 cube, then grays. Returns null for the first 16, which
 * have classes.
 */
function paletteColor(name: string): string | null {
  const index = Number(/^ansi-palette-(\d+)$/.exec(name)?.[1] ?? -1);
  if (index < 16) return null;
  if (index >= 232) return gray(8 + (index - 232) * 10);
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}

function gray(level: number): string {
  return `rgb(${level}, ${level}, ${level})`;
}

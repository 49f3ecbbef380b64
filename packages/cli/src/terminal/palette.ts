import { type InspectColor, styleText } from "node:util";

/** A stream to print to. A terminal has `isTTY` and `columns`. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean | undefined; columns?: number | undefined };

export type Style = (text: string) => string;

export interface Palette {
  bold: Style;
  dim: Style;
  red: Style;
  green: Style;
  yellow: Style;
  cyan: Style;
}

/**
 * Returns colours for a terminal, unless `NO_COLOR` or `TERM=dumb` is set, and no styling for other outputs.
 */
export function paletteFor(output: Output): Palette {
  return palette(isTerminal(output) && !process.env.NO_COLOR);
}

/** Returns whether lines can be overwritten. */
export function isTerminal(output: Output): boolean {
  return output.isTTY === true && process.env.TERM !== "dumb";
}

/** Returns the width of a terminal, or 80 if it is unknown, which some terminals report as 0. */
export function columnsOf({ columns }: Output): number {
  return columns || 80;
}

/** Returns the width that lines should not exceed, or undefined if the output is not a terminal. */
export function widthLimitOf(output: Output): number | undefined {
  return output.isTTY === true ? columnsOf(output) : undefined;
}

/** Returns a palette. Without colour its styles return the text unchanged. */
export function palette(color: boolean): Palette {
  const style =
    (format: InspectColor): Style =>
    (text) =>
      color && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: style("bold"),
    dim: style("dim"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    cyan: style("cyan"),
  };
}

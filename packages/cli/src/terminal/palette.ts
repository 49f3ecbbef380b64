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

/** Colours for a terminal, unless `NO_COLOR` or `TERM=dumb` is set; no styling elsewhere. */
export function paletteFor(output: Output): Palette {
  return palette(isTerminal(output) && !process.env.NO_COLOR);
}

/** Whether lines can be overwritten. */
export function isTerminal(output: Output): boolean {
  return output.isTTY === true && process.env.TERM !== "dumb";
}

/** The width of a terminal; 80 if it is unknown, which some terminals report as 0. */
export function columnsOf({ columns }: Output): number {
  return columns || 80;
}

/** The width that lines should not exceed; undefined where what is printed is no terminal. */
export function widthLimitOf(output: Output): number | undefined {
  return output.isTTY === true ? columnsOf(output) : undefined;
}

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

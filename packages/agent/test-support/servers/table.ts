import { COLUMNS, type Column, type Server } from "./cell.ts";
import { GATEWAYS } from "./gateways.ts";
import { HOSTED } from "./hosted.ts";
import { LOCAL } from "./local.ts";
import { VENDORS } from "./vendors.ts";

export const SERVERS: readonly Server[] = [...VENDORS, ...HOSTED, ...GATEWAYS, ...LOCAL];

export const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];

/** Returns the table as in the README beside this file: a part for each column, a line for each server. */
export function markdownTable(): string {
  return COLUMN_NAMES.map((column) => {
    const lines = SERVERS.map(({ name, cells }) => {
      const cell = cells[column];
      return `| ${name} | ${escaped("notKnown" in cell ? "not known" : cell.shows)} |`;
    });
    return `**${COLUMNS[column]}**\n\n| Server | |\n|---|---|\n${lines.join("\n")}\n`;
  }).join("\n");
}

/** Escapes bars, which would end the cell. */
function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}

import { type Capability, doctor as examine } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";

/** Prints the capabilities of this machine. Returns exit code 1 if something that users need is missing. */
export async function doctor({
  dataDir,
  config,
  json,
}: {
  dataDir?: string;
  config?: string;
  json?: boolean;
}): Promise<number> {
  const capabilities = await examine({ "data-dir": dataDir, config });
  const missing = capabilities.filter(({ state }) => state === "no");
  if (json) printJson({ ok: missing.length === 0, capabilities });
  else printTable(capabilities);
  return missing.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
}

function printTable(capabilities: readonly Capability[]): void {
  const palette = paletteFor(process.stdout);
  const rows = capabilities.map((one) => [mark(one, palette), one.name, palette.dim(plainLine(one.detail))]);
  for (const line of table(rows)) printLine(line);
}

function mark({ state }: Capability, { green, yellow, red }: Palette): string {
  if (state === "yes") return green("ok");
  return state === "degraded" ? yellow("weak") : red("missing");
}

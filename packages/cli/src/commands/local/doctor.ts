import type { Capability } from "@berth/server";
import { doctor as examine } from "@berth/server/doctor";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";

/** Prints the capabilities of this machine. Returns exit code 1 if something that users need is missing. */
export async function doctor({
  dataDir,
  config,
  ...output
}: OutputOptions & {
  dataDir?: string;
  config?: string;
}): Promise<number> {
  const capabilities = await examine({ "data-dir": dataDir, config });
  const missing = capabilities.filter(({ state }) => state === "no");
  await printResult({ ok: missing.length === 0, capabilities }, output, () => tableOf(capabilities));
  return missing.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
}

function tableOf(capabilities: readonly Capability[]): string[] {
  const palette = paletteFor(process.stdout);
  const rows = capabilities.map((one) => [mark(one, palette), one.name, palette.dim(plainLine(one.detail))]);
  return table(rows);
}

function mark({ state }: Capability, { green, yellow, red }: Palette): string {
  if (state === "yes") return green("ok");
  return state === "degraded" ? yellow("weak") : red("missing");
}

import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { openBrowser } from "../../shared/open-browser.ts";
import { isForPeople, printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";

/** Prints the sign-in link and opens it in a browser. The browser may fail to show it. */
export async function openConsole(
  options: ConnectionOptions & OutputOptions & { open: boolean },
): Promise<undefined> {
  const link = await (await connect(options)).consoleLinks.create();
  await printResult(link, options, () => [plainLine(link.url)]);
  const opens = options.open && (await openBrowser(link.url, "console.html"));
  if (!isForPeople(options) || options.quiet) return;
  printMessage(`The link ${opens ? "is opened in your browser. It " : ""}works once, within 60 seconds.`);
}

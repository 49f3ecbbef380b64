import type { Preview } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { openBrowser } from "../../shared/open-browser.ts";
import { positiveInteger } from "../../shared/options.ts";
import { isForPeople, printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";

interface OpenOptions extends ConnectionOptions, OutputOptions {
  /** Whether a browser is opened, if there is one. */
  open: boolean;
  /** Seconds until a new preview ends. */
  expiresIn?: number;
}

/** Prints the address of a preview of a port, and opens it in a browser. Creates one unless there is one. */
export async function openPreview(id: string, given: string, options: OpenOptions): Promise<undefined> {
  const port = positiveInteger(given);
  const client = await connect(options);
  const { expiresIn } = options;
  let preview: Preview | undefined;
  if (expiresIn === undefined)
    for await (const one of client.sessions.previews.list(id, { limit: 100 }))
      if (one.port === port && one.url !== null) preview ??= one;
  preview ??= await client.sessions.previews.create(id, {
    port,
    ...(expiresIn === undefined ? {} : { expires_in_seconds: expiresIn }),
  });
  const { url, expires_at: end } = preview;
  await printResult(preview, options, () => [plainLine(url ?? "")]);
  const opens = options.open && url !== null && (await openBrowser(url, "preview.html"));
  if (!isForPeople(options) || options.quiet) return;
  printMessage(`The preview ${opens ? "is opened in your browser. It " : ""}ends at ${end}.`);
}

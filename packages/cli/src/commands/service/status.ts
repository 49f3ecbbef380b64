import { type ConnectionOptions, connect, serverUrl } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { describe } from "./whoami.ts";

/** Exits with 1 when the service is not ready. */
export async function status(options: ConnectionOptions & { json?: boolean }): Promise<number> {
  const client = await connect(options);
  const url = await serverUrl(options);
  const reason = await faultOf(url);
  const current = await client.tokens.current();
  const { service_version: version } = current;
  if (options.json) printJson({ url, version, ready: reason === null, reason, token: current });
  else {
    printLine(`Berth ${version} at ${url}: ${reason === null ? "ready" : `not ready (${reason})`}`);
    for (const line of describe(current)) printLine(line);
  }
  return reason === null ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** Why the service is not ready; null if it is. */
async function faultOf(url: string): Promise<string | null> {
  const response = await fetch(new URL("/readyz", url));
  if (response.ok) return null;
  const { reason = `status ${response.status}` } = (await response.json().catch(() => ({}))) as {
    reason?: string;
  };
  return reason;
}

import { setTimeout as pause } from "node:timers/promises";
import { type Berth, TLSError } from "@berth/sdk";
import { type ConnectionOptions, connect, serviceOf } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { callerOf, describeCaller } from "./describe-caller.ts";

/** Milliseconds to wait for a service that does not respond, or that is starting. */
const PATIENCE_MS = 10_000;
const ASK_AGAIN_MS = 50;
const NO_ANSWER = "no answer";

/** Prints whether the service is ready. Returns exit code 1 when it is not, without the token's owner. */
export async function status(options: ConnectionOptions & OutputOptions): Promise<number> {
  const client = await connect(options);
  const { url, from } = await serviceOf(options);
  const reason = await faultOf(url);
  if (reason === NO_ANSWER) await failForTls(client);
  const ready = reason === null;
  const token = ready ? await client.tokens.current() : null;
  const version = token?.service_version ?? null;
  const name = version === null ? "Berth" : `Berth ${version}`;
  await printResult({ url, from, version, ready, reason, token }, options, () => [
    plainLine(`${name} at ${url} (${from}): ${ready ? "ready" : `not ready (${reason})`}`),
    ...(token === null ? [] : describeCaller(callerOf(token))),
  ]);
  return ready ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** Connects again to learn whether TLS is the cause. @throws TLSError if it is. */
async function failForTls(client: Berth): Promise<void> {
  await client.tokens.current({ maxRetries: 0 }).catch((error: unknown) => {
    if (error instanceof TLSError) throw error;
  });
}

/** Returns why the service is not ready, or null. Waits while the service reports that it starts. */
async function faultOf(url: string): Promise<string | null> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const fault = await askFor(url, signal);
    if (fault !== "starting" || signal.aborted) return fault;
    await pause(ASK_AGAIN_MS);
  }
}

async function askFor(url: string, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(new URL("/readyz", url), { signal }).catch(() => null);
  if (response === null) return NO_ANSWER;
  if (response.ok) return null;
  const { reason = `status ${response.status}` } = (await response.json().catch(() => ({}))) as {
    reason?: string;
  };
  return reason;
}

import { hostname, userInfo } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { APIError, Berth, type CreatedToken, type DeviceAuthorization, NotFoundError } from "@berth/sdk";
import { userAgent } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import { givenBy } from "../../shared/given-by.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";

const HEADERS = { "user-agent": userAgent };

/**
 * Requests a token, shows the code with which somebody approves the request elsewhere, and waits for the
 * token.
 * @param scopes Default: every scope.
 * @throws UsageError when the request is denied, not approved in time, or interrupted. No token remains then.
 */
export async function deviceToken(baseURL: string, scopes?: readonly string[]): Promise<string> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop);
  try {
    return await askedToken(baseURL, scopes, interrupted.signal);
  } catch (error) {
    throw interrupted.signal.aborted ? new UsageError("Interrupted.", EXIT_CODES.interrupted) : error;
  } finally {
    process.off("SIGINT", stop);
  }
}

async function askedToken(
  baseURL: string,
  scopes: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string> {
  const client = new Berth({ baseURL, token: null, defaultHeaders: HEADERS });
  const asked = await request(client, scopes, signal);
  printMessage(plainLine(`Code: ${asked.user_code}`));
  printMessage(plainLine(asked.instructions));
  printMessage(`Waiting for approval, at most ${Math.round(asked.expires_in / 60)} minutes.`);
  let seconds = asked.interval;
  for (;;) {
    await wait(seconds * 1_000, undefined, { signal });
    const polled = await poll(client, asked.device_code);
    if (polled === "slow_down") seconds += 5;
    if (typeof polled === "string") continue;
    if (!signal.aborted) return polled.token;
    await revoke(baseURL, polled);
    signal.throwIfAborted();
  }
}

async function request(client: Berth, scopes: readonly string[] | undefined, signal: AbortSignal) {
  const asked = scopes as DeviceAuthorization["scopes"] | undefined;
  const body = { client_name: ownName(), ...(asked !== undefined && { scopes: asked }) };
  try {
    return await givenBy({ scopes: "--scopes" }, () => client.deviceAuthorizations.create(body, { signal }));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new UsageError(
      "This service does not issue tokens this way. Log in with a token.",
      EXIT_CODES.failed,
    );
  }
}

/** Asks once for the token, without interruption, so that an issued token can be revoked. */
async function poll(
  client: Berth,
  device_code: string,
): Promise<CreatedToken | "authorization_pending" | "slow_down"> {
  try {
    return await client.deviceTokens.create({ device_code });
  } catch (error) {
    const code = error instanceof APIError ? error.code : null;
    if (code === "authorization_pending" || code === "slow_down") return code;
    if (code === "access_denied") throw new UsageError("The login was denied.", EXIT_CODES.notAllowed);
    if (code !== "expired_token" && code !== "invalid_grant") throw error;
    throw new UsageError("Nobody approved the login in time. Log in again.", EXIT_CODES.failed);
  }
}

async function revoke(baseURL: string, { id, token }: CreatedToken): Promise<void> {
  const client = new Berth({ baseURL, token, defaultHeaders: HEADERS });
  await client.tokens
    .delete(id)
    .catch(() =>
      printMessage(plainLine(`The token ${id} was already issued. To revoke it: berth tokens delete ${id}`)),
    );
}

/** Returns the client name that the approver sees. */
function ownName(): string {
  try {
    return `berth login of ${userInfo().username}@${hostname()}`.slice(0, 200);
  } catch {
    return `berth login on ${hostname()}`.slice(0, 200);
  }
}

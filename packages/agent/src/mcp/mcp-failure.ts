import type { SessionErrorType } from "@berth/contract";
import { DestinationDenied } from "@berth/egress";
import { ProtocolError, SdkError, SdkErrorCode, UnauthorizedError } from "@modelcontextprotocol/client";
import { ResponseTooLarge } from "./limited-fetch.ts";

/** A reason why an MCP server cannot be used. `reason` is the end of a sentence. */
export interface McpFailure {
  type: Extract<SessionErrorType, "mcp_connection_failed_error" | "mcp_authentication_failed_error">;
  reason: string;
}

/**
 * Describes an error in fixed words, since messages of servers and networks may contain addresses and
 * secrets. A server's own text is quoted only when it denies access to a request without a credential. The
 * reason and the message of a `DestinationDenied` enter a model's history: their bytes must not change.
 *
 * @param sentCredential whether the request had a credential. Default false.
 */
export function mcpFailure(error: unknown, sentCredential = false): McpFailure {
  const chain = causesOf(error);
  const status = chain.some((cause) => cause instanceof UnauthorizedError)
    ? 401
    : chain.map(statusOf).find((found) => found !== undefined);
  if (status === 401 || status === 403) {
    const reason = sentCredential ? refusedCredential(status) : deniedWithout(status, chain);
    return { type: "mcp_authentication_failed_error", reason };
  }
  return { type: "mcp_connection_failed_error", reason: connectionFailure(chain, status) };
}

/**
 * Returns whether the server rejected the request before it handled the call, because it does not know the
 * session, as after a restart.
 */
export function isUnknownSession(error: unknown): boolean {
  const status = causesOf(error)
    .map(statusOf)
    .find((found) => found !== undefined);
  return status === 400 || status === 404;
}

/** Returns whether the connection is unusable: a request did not arrive, or a response is incomplete. */
export function isConnectionLost(error: unknown): boolean {
  if (isUnknownSession(error)) return true;
  const [first] = causesOf(error);
  const known = first instanceof ProtocolError || first instanceof UnauthorizedError;
  const timedOut = first instanceof SdkError && first.code === SdkErrorCode.RequestTimeout;
  return !known && !timedOut && causesOf(error).every((cause) => statusOf(cause) === undefined);
}

function refusedCredential(status: number): string {
  return `it rejected the session's credential (HTTP ${status})`;
}

function deniedWithout(status: number, chain: readonly Error[]): string {
  const none = "and no vault of the session has a credential for its URL";
  if (status === 401) return `it asks for a credential, ${none} (HTTP 401)`;
  const said = chain.map(textOf).find((text) => text !== undefined);
  return `it denied access${said === undefined ? "" : ` with "${said}"`}, ${none} (HTTP ${status})`;
}

/** Maximum characters of a server's text that are quoted. */
const MAX_SAID = 160;

function textOf(error: Error): string | undefined {
  const data = error instanceof SdkError ? (error.data as { text?: unknown } | undefined) : undefined;
  if (typeof data?.text !== "string") return undefined;
  const line = data.text
    .slice(0, 10 * MAX_SAID)
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  if (line === "" || line.startsWith("<")) return undefined;
  return line.length <= MAX_SAID ? line : `${line.slice(0, MAX_SAID).toWellFormed()}…`;
}

const TOO_LONG = "its response is too large: over 32 MiB or a million values";

function connectionFailure(chain: readonly Error[], status: number | undefined): string {
  const refused = chain.find((cause) => cause instanceof DestinationDenied);
  if (refused !== undefined) return lowerCase(refused.message.replace(/\.$/, ""));
  if (chain.some((cause) => cause instanceof ResponseTooLarge)) return TOO_LONG;
  if (status !== undefined && status >= 300 && status < 400)
    return "it redirects, and redirects are not followed";
  if (status !== undefined) return `it answered with HTTP ${status}`;
  const codes = chain.map((cause) => (cause as { code?: unknown }).code);
  if (codes.includes(SdkErrorCode.RequestTimeout)) return "it did not respond in time";
  if (codes.some((code) => typeof code === "string" && /CERT|SIGNED|TLS|SSL|ALTNAME/.test(code)))
    return "its TLS certificate is not valid";
  if (
    codes.some(
      (code) => typeof code === "string" && /^(E[A-Z]+|UND_)/.test(code) && code !== "ERA_NEGOTIATION_FAILED",
    )
  )
    return "the connection to it failed";
  return "its response is not valid MCP";
}

/** Returns an error and its causes, at most eight. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let current = error;
  while (current instanceof Error && chain.length < 8) {
    chain.push(current);
    const data = current instanceof SdkError ? (current.data as { cause?: unknown } | undefined) : undefined;
    current = current.cause ?? data?.cause;
  }
  return chain;
}

function statusOf(error: Error): number | undefined {
  const data = error instanceof SdkError ? (error.data as { status?: unknown } | undefined) : undefined;
  return typeof data?.status === "number" ? data.status : undefined;
}

function lowerCase(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

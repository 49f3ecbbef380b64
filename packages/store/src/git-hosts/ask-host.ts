import { DestinationDenied, type GuardedFetch } from "@berth/egress";
import { GitHostError, type HostFault } from "./git-host-error.ts";

/** Where a host is asked. */
export interface HostAddress {
  fetch: GuardedFetch;
  /** The name of the host in messages, with its port if it is not 443. */
  host: string;
  /** Where its pages are: `https://<host>`. */
  origin: string;
  /** URL of the API, without a slash at its end. */
  api: string;
  /** Whose credential asks, in messages. Default: a connection's. */
  asker?: Asker;
}

/** Who asks a host, as a part of sentences. */
export interface Asker {
  /** Begins a sentence. */
  name: string;
  credential: string;
}

const CONNECTION: Asker = { name: "The connection", credential: "the connection's credential" };
/** A token that somebody gave a session. */
export const SESSION_TOKEN: Asker = { name: "The session's token", credential: "the session's token" };

/** Returns the error for a repository that a credential does not reach. */
export function notReached({ asker = CONNECTION }: HostAddress, repository: string): GitHostError {
  return new GitHostError(`${asker.name} does not reach the repository '${repository}'.`, {
    kind: "not_found",
  });
}

/** Returns the error for a repository that has another name now. */
export function hasMoved(repository: string, now: unknown): GitHostError {
  return new GitHostError(`The repository '${repository}' has moved to ${named(now)}.`, {
    kind: "not_found",
  });
}

export interface HostQuestion {
  method?: "GET" | "POST" | "DELETE";
  /** The path below the API's URL, with its query. */
  path: string;
  headers: Record<string, string>;
  /** A JSON body. */
  body?: object;
}

/** A response with a status below 400. */
export interface HostAnswer {
  status: number;
  headers: Headers;
  /** The parsed body; null when there is none. */
  body: unknown;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TAIL_BYTES = 1024 * 1024;
/** Pages of a list that are read at most. */
const MAX_PAGES = 10;

/**
 * Asks a host's API. Redirects are returned. Messages contain nothing of a response's body.
 *
 * @throws GitHostError
 */
export async function askHost(at: HostAddress, question: HostQuestion): Promise<HostAnswer> {
  const { method = "GET", path, headers, body } = question;
  const init: RequestInit = {
    method,
    headers: {
      accept: "application/json",
      "user-agent": "berth",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  try {
    const response = await at.fetch(`${at.api}${path}`, init);
    const text = await readText(response);
    if (response.status >= 400) throw rejected(at, response);
    return { status: response.status, headers: response.headers, body: parsed(at.host, text) };
  } catch (error) {
    throw error instanceof GitHostError ? error : unreachable(at.host, error);
  }
}

/**
 * Returns the end of a text that a host has, such as a log; null if it has none or does not give it. Follows one
 * redirect, without the credential.
 *
 * @throws GitHostError
 */
export async function askForTail(
  at: HostAddress,
  { path, headers }: Pick<HostQuestion, "path" | "headers">,
): Promise<string | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const own = { "user-agent": "berth" };
    let response = await at.fetch(`${at.api}${path}`, {
      ...{ headers: { ...own, ...headers }, signal, redirect: "manual" },
    });
    const next = URL.parse(response.headers.get("location") ?? "", `${at.api}/`);
    if (response.status >= 300 && response.status < 400 && next?.protocol === "https:") {
      await response.body?.cancel();
      response = await at.fetch(next.href, { headers: own, signal, redirect: "manual" });
    }
    if (response.status < 300) return await readTail(response);
    await response.body?.cancel();
    if (response.status === 429 || response.status >= 500) throw rejected(at, response);
    return null;
  } catch (error) {
    throw error instanceof GitHostError ? error : unreachable(at.host, error);
  }
}

async function readTail({ body }: Response): Promise<string> {
  let kept: Uint8Array = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * MAX_TAIL_BYTES) kept = kept.subarray(-MAX_TAIL_BYTES);
  }
  return Buffer.from(kept).toString();
}

/** Returns the path of a repository's full name, encoded. @throws GitHostError for one that is no such name. */
export function repositoryPath(repository: string): string {
  const segments = repository.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new GitHostError(`'${repository}' is not the name of a repository.`, { kind: "not_found" });
  return segments.map(encodeURIComponent).join("/");
}

/** Returns the number of the next page by a response's `Link` header; null after the last. */
export function nextPage({ headers }: HostAnswer, page: number): number | null {
  return /;\s*rel="next"/.test(headers.get("link") ?? "") ? page + 1 : null;
}

/** Returns the objects of all pages of a list, which a response's `Link` header connects. */
export async function allPages(
  ask: (path: string) => Promise<HostAnswer>,
  path: string,
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let page: number | null = 1; page !== null && page <= MAX_PAGES; ) {
    const answer: HostAnswer = await ask(`${path}${path.includes("?") ? "&" : "?"}page=${page}`);
    items.push(...objectsIn(answer.body));
    page = nextPage(answer, page);
  }
  return items;
}

/** Returns the objects of a response's list. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** Returns a response's object, or an empty one. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns a text of a response, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns a name of a response for a message. */
export function named(value: unknown): string {
  return typeof value === "string" && /^[\w .@[\]/-]{1,100}$/.test(value) ? `'${value}'` : "its account";
}

/** Runs a question, and throws another error for some kinds of faults. */
export async function explained<T>(
  asked: Promise<T>,
  explain: (fault: HostFault) => string | null | undefined,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const sentence = error instanceof GitHostError ? explain(error.fault) : null;
    throw sentence == null ? error : new GitHostError(sentence, (error as GitHostError).fault);
  }
}

function rejected({ host, asker = CONNECTION }: HostAddress, { status, headers }: Response): GitHostError {
  const isLimited =
    status === 429 ||
    (status === 403 && (headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0"));
  if (isLimited || status >= 500) {
    return new GitHostError(
      isLimited ? `${host} takes no more requests for now.` : `${host} answered with status ${status}.`,
      { kind: "unknown", transient: true, retryAfterMs: retryAfterMs(headers) },
    );
  }
  if (status === 401)
    return new GitHostError(`${host} rejects ${asker.credential}.`, { kind: "authentication" });
  if (status === 403)
    return new GitHostError(`${host} does not allow this to ${asker.credential}.`, { kind: "forbidden" });
  if (status === 404)
    return new GitHostError(`${host} does not find what ${asker.name.toLowerCase()} asks for.`, {
      kind: "not_found",
    });
  return new GitHostError(`${host} answered with status ${status}.`, { kind: "unknown" });
}

/** Returns for how long a host asks to wait: GitHub and GitLab also name the second at which a limit ends. */
function retryAfterMs(headers: Headers): number | null {
  const after = headers.get("retry-after");
  const seconds = Number(after ?? Number.NaN);
  const date = Date.parse(after ?? "");
  const reset = Number(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset") ?? Number.NaN);
  const all = [seconds * 1_000, date - Date.now(), reset * 1_000 - Date.now()];
  return all.find((milliseconds) => Number.isFinite(milliseconds) && milliseconds >= 0) ?? null;
}

function unreachable(host: string, error: unknown): GitHostError {
  if (error instanceof DestinationDenied)
    return new GitHostError(
      error.denied.reason === "unresolvable"
        ? `The name ${host} does not resolve.`
        : `The address of ${host} is not allowed by this installation.`,
      { kind: "unknown", transient: error.denied.reason === "unresolvable" },
    );
  return new GitHostError(`${host} could not be reached.`, { kind: "unknown", transient: true });
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error("The response is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(host: string, text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new GitHostError(`${host} answered with something that is not its API's.`, { kind: "unknown" });
  }
}

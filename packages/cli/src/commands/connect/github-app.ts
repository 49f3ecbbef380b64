import { createPrivateKey, sign } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { UsageError } from "../../shared/failure.ts";
import { printMessage } from "../../terminal/print.ts";

/** An app that GitHub made from a manifest. */
export interface GitHubApp {
  id: number;
  slug: string;
  /** Where the app is shown. */
  html_url: string;
  pem: string;
  webhook_secret: string;
}

/** GitHub, or a GitHub Enterprise. */
export interface GitHub {
  /** `https://<host>`. */
  url: string;
  api: string;
}

export interface ManifestOptions {
  name: string;
  /** The service's address. */
  homepage: string;
  /** Where GitHub sends what happens. */
  hook: string;
  /** Where GitHub sends the browser when it has made the app. */
  redirect: string;
  /** Events beside those of issues, comments and pull requests. */
  events: readonly string[];
}

const TIMEOUT_MS = 30_000;
const LOOK_MS = 2_000;

/** What an agent needs to read, push, open and follow pull requests, and answer issues. */
const PERMISSIONS = {
  ...{ metadata: "read", contents: "write", pull_requests: "write", issues: "write" },
  ...{ checks: "write", statuses: "write", actions: "read" },
} as const;

const EVENTS = [
  ...["issues", "issue_comment", "pull_request"],
  ...["pull_request_review", "pull_request_review_comment"],
] as const;

/** @throws UsageError for an address other than https, or http of this machine: the answer has the app's key. */
export function gitHubAt(address: string): GitHub {
  const parsed = URL.parse(address);
  const isHere =
    parsed?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(parsed.hostname);
  if (parsed === null || (parsed.protocol !== "https:" && !isHere) || parsed.pathname !== "/")
    throw new UsageError("--host must be of the form https://<host>.");
  const url = parsed.origin;
  return { url, api: url === "https://github.com" ? "https://api.github.com" : `${url}/api/v3` };
}

/** Returns the address of the form that makes an app of a user or an organization. */
export function formOf({ url }: GitHub, organization: string | undefined): string {
  return organization === undefined
    ? `${url}/settings/apps/new`
    : `${url}/organizations/${encodeURIComponent(organization)}/settings/apps/new`;
}

/** Returns the page where an app can be deleted, for which GitHub has no API. */
export function deletionPageOf({ url }: GitHub, organization: string | undefined, slug: string): string {
  return organization === undefined
    ? `${url}/settings/apps/${slug}/advanced`
    : `${url}/organizations/${encodeURIComponent(organization)}/settings/apps/${slug}/advanced`;
}

export function manifestOf({ name, homepage, hook, redirect, events }: ManifestOptions): object {
  return {
    ...{ name, url: homepage, redirect_url: redirect, public: false },
    hook_attributes: { url: hook, active: true },
    default_permissions: PERMISSIONS,
    default_events: [...new Set([...EVENTS, ...events])],
  };
}

/** Exchanges the code with which GitHub sent the browser back for the app. */
export async function appOf({ api }: GitHub, code: string): Promise<GitHubApp> {
  const path = `${api}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const { status, body } = await ask(path, { method: "POST" });
  const { id, slug, html_url: page, pem, webhook_secret: secret } = body as Partial<GitHubApp>;
  if (status === 201 && id && slug && page && pem && secret)
    return { id, slug, html_url: page, pem, webhook_secret: secret };
  throw new UsageError(`GitHub did not give the app: it answered with status ${status}.`, 1);
}

/**
 * Waits until somebody has installed the app, and returns the installation.
 *
 * @throws the signal's reason when it aborts.
 */
export async function installationOf(
  { api }: GitHub,
  app: GitHubApp,
  signal: AbortSignal,
): Promise<{ id: string; account: string }> {
  for (let told = false; ; ) {
    const found = await ask(`${api}/app/installations`, {
      headers: { authorization: `Bearer ${jwtOf(app)}` },
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      return { status: 0, body: error };
    });
    const [first] = Array.isArray(found.body)
      ? (found.body as { id: number; account: { login: string } }[])
      : [];
    if (first !== undefined) return { id: `${first.id}`, account: first.account.login };
    if (found.status !== 200 && !told) {
      printMessage("GitHub does not say yet who installed the app. Asking again.");
      told = true;
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function ask(url: string, init: RequestInit): Promise<{ status: number; body: unknown }> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    ...init,
    headers: { accept: "application/vnd.github+json", "user-agent": "berth-cli", ...init.headers },
    redirect: "error",
    signal: init.signal == null ? late : AbortSignal.any([init.signal, late]),
  }).catch((error: Error) => {
    throw new UsageError(`${new URL(url).host} cannot be reached: ${causeOf(error)}.`, 1);
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}

function causeOf({ cause, message }: Error): string {
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

/** Returns a JSON Web Token by which an app asks, for nine minutes. */
function jwtOf({ id, pem }: GitHubApp): string {
  const now = Math.floor(Date.now() / 1_000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now - 60, exp: now + 480, iss: `${id}` })}`;
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), createPrivateKey(pem)).toString("base64url")}`;
}

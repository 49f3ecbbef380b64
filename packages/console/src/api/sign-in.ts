import { noteSignIn } from "./signed-out.ts";

/** A rejected sign-in, with the service's message. */
export class SignInError extends Error {
  readonly requestId: string | null;

  constructor(message: string, requestId: string | null) {
    super(message);
    this.requestId = requestId;
  }
}

/**
 * Returns the sign-in methods that the operator has set up, besides tokens and links. Returns none if the
 * request fails.
 */
export async function signInMethods(): Promise<{ oidc: boolean }> {
  const response = await fetch("/console/auth/methods");
  return response.ok ? ((await response.json()) as { oidc: boolean }) : { oidc: false };
}

export function signInWithToken(token: string): Promise<void> {
  return signIn("/console/auth/token", { token });
}

/** Signs in with the code of a link, which works once and for a minute. */
export function signInWithCode(code: string): Promise<void> {
  return signIn("/console/auth/link", { code });
}

/** Returns the address that starts the identity provider's sign-in, which then returns to `path`. */
export function oidcAddress(path: string): string {
  return `/console/auth/oidc?${new URLSearchParams({ return_to: path })}`;
}

export async function signOut(): Promise<void> {
  await post("/console/auth/sign-out", {});
}

async function signIn(path: string, body: object): Promise<void> {
  await post(path, body);
  noteSignIn();
}

async function post(path: string, body: object): Promise<void> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, init);
  if (response.ok) return;
  const envelope: unknown = await response.json().catch(() => null);
  const { error, request_id } = (envelope ?? {}) as { error?: { message?: string }; request_id?: string };
  throw new SignInError(error?.message ?? `The service answered ${response.status}.`, request_id ?? null);
}

import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../../http/http-app.ts";
import type { AuthRequest } from "../sign-in/auth-route.ts";
import { endFormer, setSignIn } from "../sign-in/set-sign-in.ts";
import { BrowserSecret } from "./browser-secret.ts";
import { membershipOf } from "./membership.ts";
import { OIDC_COOKIE } from "./oidc-cookie.ts";
import type { Claims, OidcProvider } from "./oidc-provider.ts";
import { takeOidcRequest } from "./oidc-request-store.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { type DescribedAccount, signInWithAccount } from "./sign-in-with-account.ts";

/**
 * Signs in the user whom the provider's response names. The response must be for this browser, and counts
 * once. Returns the page of the console that comes next.
 *
 * @throws errors.answerForeign, errors.answerLate, errors.notMapped, and as `OidcProvider.claims` and
 * `signInWithAccount`
 */
export async function finishOidc(
  { db }: HttpApp,
  { provider, settings }: { provider: OidcProvider; settings: OidcSettings },
  request: AuthRequest,
  redirectUri: string,
): Promise<string> {
  const { origin, reply, scope } = request;
  const { raw } = request.request;
  const answer = new URL(redirectUri);
  answer.search = raw.url?.split("?").slice(1).join("?") ?? "";
  const text = OIDC_COOKIE.read(raw, origin);
  reply.header("set-cookie", OIDC_COOKIE.clear(origin));
  const secret = text === null ? null : new BrowserSecret(text);
  if (secret === null || !secret.isOf(answer.searchParams.get("state"))) throw errors.answerForeign();
  const asked = await takeOidcRequest(db.write, secret.hash);
  if (asked === null) throw errors.answerLate();
  const account = describedAccount(await provider.claims(secret, answer), settings);
  const made = await db.transaction(async (tx) => {
    const made = await signInWithAccount(tx, scope, account);
    // Browsers send the former sign-in only if the provider belongs to the same site.
    await endFormer(tx, request);
    return made;
  });
  setSignIn(request, made);
  return asked.returnTo;
}

/** @throws errors.notMapped */
function describedAccount(claims: Claims, settings: OidcSettings): DescribedAccount {
  const membership = membershipOf(claims, settings);
  if (membership === null) throw errors.notMapped(settings.claim);
  const { sub: subject, email, email_verified: verified } = claims;
  // Providers that let people choose any address mark it as unverified. Others do not send the claim.
  const isUsable = typeof email === "string" && /^[^@\s]+@[^@\s]+$/.test(email) && `${verified}` !== "false";
  return { issuer: settings.issuer, subject, email: isUsable ? email : null, membership };
}

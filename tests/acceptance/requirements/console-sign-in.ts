import type { Requirement } from "./requirement.ts";

/** Rules for signing in to the console. */
export const consoleSignInRequirements: readonly Requirement[] = [
  {
    id: "console-sign-in",
    source: "seed 8",
    rule: "A user signs in to the console with a token: the browser gets a cookie, and the sign-in is in the list of tokens, of the kind console, with how it was made. It has the scopes of the token, and lasts 12 hours, until the token expires, or until it is revoked or signed out. Requests to sign in or out have JSON bodies of at most 16 KiB.",
  },
  {
    id: "console-link",
    source: "seed 8",
    rule: "With any token a user creates a link that signs in to the console, with the scopes of that token. It works once, of several requests at the same time for one, within 60 seconds, while the token is valid. Its code is behind #, where no server sees it. Service accounts and sign-ins create none.",
  },
  {
    id: "console-cookie",
    source: "seed 8",
    rule: "The cookie is HttpOnly, SameSite=Strict and for one port; with https also Secure and of this host alone. Each sign-in has a new secret, and ends the one that the browser had. The secret is no bearer token, and no token is good as the cookie. Over plain http beyond the machine nobody can sign in, unless BERTH_CONSOLE=plain-http.",
  },
  {
    id: "console-origin",
    source: "seed 8",
    rule: "Requests with the cookie, and those to sign in or out, are refused with 403 unless the service's own pages make them: what changes something needs the own origin in Origin, nothing may have another site in Sec-Fetch-Site, and the host must be the public URL, an address, localhost, or what a trusted proxy passes on. Requests with a token need none of this.",
  },
  {
    id: "console-ends",
    source: "seed 8",
    rule: "When a sign-in or its token is revoked, or its user is disabled, the next request is answered with 401 in every process, and open streams of events end.",
  },
  {
    id: "console-oidc",
    source: "OpenID Connect Core 1.0",
    rule: "With BERTH_OIDC_ISSUER people sign in with an OpenID provider, by code, PKCE, state and nonce, in whichever API process the answer comes to. A provider that is away does not keep the service from starting; who tries to sign in is told what is wrong with it.",
  },
  {
    id: "console-oidc-answers",
    source: "OpenID Connect Core 1.0, RFC 9207",
    rule: "An answer of the provider counts once, in the browser that was sent there, with its own state, nonce and code, of the configured issuer. Any other signs nobody in.",
  },
  {
    id: "console-oidc-users",
    source: "seed 8",
    rule: "The first value of BERTH_OIDC_MAPPING that the claim has decides about organization and role, at each sign-in. A user is found by the account at the provider, at first by a verified email address, and made if missing. Who has no such value, no email address, another organization here, or an address of another account is refused with 403.",
  },
  {
    id: "console-return-to",
    source: "seed 8",
    rule: "After signing in with a provider, the browser is sent to a page below /console/, and to no other address, however return_to is written. Other sites cannot start a sign-in.",
  },
  {
    id: "console-audit",
    source: "seed 8",
    rule: "Creating a link, signing in and signing out each have an entry in the audit log, with the user, the address and the sign-in.",
  },
  {
    id: "console-secrets",
    source: "seed 8",
    rule: "Codes, tokens, cookies, states and the client's secret of sign-ins are in no log and in no audit entry.",
  },
  {
    id: "console-limits",
    source: "seed 8",
    rule: "BERTH_ADDRESS_LIMITS counts tries of tokens, links and cookies of the console as it does requests with unknown tokens.",
  },
  {
    id: "console-pages",
    source: "seed 8",
    rule: "The console is at /console/, with a policy that allows nothing of another origin, no inline script or style, and no frame. With BERTH_CONSOLE=off nothing of it is there, and its cookie counts for nothing.",
  },
];

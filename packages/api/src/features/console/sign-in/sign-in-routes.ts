import { isOperatorSecret, isTokenSecret, tokenHash } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { z } from "zod";
import { acceptSecret } from "../../../http/authenticate.ts";
import type { HttpApp } from "../../../http/http-app.ts";
import { SIGN_IN_COOKIE } from "../../../http/sign-in-cookie.ts";
import { protectRoute } from "../pages/policies.ts";
import { type AuthRequest, authOperation, mountAuth } from "./auth-route.ts";
import { takeLink } from "./link-store.ts";
import { checkReadable, endFormer, setSignIn } from "./set-sign-in.ts";
import { type NewSignIn, signInWithToken } from "./sign-in.ts";

const OPERATIONS = {
  methods: authOperation("methods", { method: "GET", path: "/methods" }),
  token: authOperation("signInByToken", { path: "/token", body: "json" }),
  link: authOperation("signInByLink", { path: "/link", body: "json" }),
  signOut: authOperation("signOut", { path: "/sign-out" }),
};

const NOTHING = z.strictObject({}).nullish();

export interface SignInOptions {
  /** Whether there is an identity provider. */
  hasOidc: boolean;
  /** Whether signing in is allowed over a connection that others can read. */
  allowsPlainHttp: boolean;
}

/** Mounts the requests of the console's page: to sign in with a token or a link, and to sign out. */
export function mountSignIns(app: HttpApp, { hasOidc, allowsPlainHttp }: SignInOptions): void {
  const { path: methods, id } = OPERATIONS.methods;
  app.fastify.get(methods, { config: { operation: id }, onRequest: protectRoute }, async (_request, reply) =>
    reply.header("cache-control", "no-store").send({ oidc: hasOidc }),
  );
  mountAuth(app, OPERATIONS.token, z.strictObject({ token: z.string() }), async (request, { token }) => {
    checkReadable(request, allowsPlainHttp);
    await signInByToken(app, request, token.trim());
  });
  mountAuth(app, OPERATIONS.link, z.strictObject({ code: z.string() }), async (request, { code }) => {
    checkReadable(request, allowsPlainHttp);
    await signInByLink(app, request, code);
  });
  mountAuth(app, OPERATIONS.signOut, NOTHING, async (request) => {
    await app.db.transaction((tx) => endFormer(tx, request));
    request.reply.header("set-cookie", SIGN_IN_COOKIE.clear(request.origin));
  });
}

/**
 * Throws the same as `authenticate`, and errors.operatorElsewhere, errors.malformedToken,
 * errors.userTokensOnly, errors.revokedToken.
 */
async function signInByToken(app: HttpApp, request: AuthRequest, token: string): Promise<void> {
  if (isOperatorSecret(token)) throw errors.operatorElsewhere();
  if (!isTokenSecret(token)) throw errors.malformedToken();
  const principal = await acceptSecret(request.request.raw, token, app);
  if (principal.kind !== "user") throw errors.userTokensOnly();
  const made = await inPlaceOfFormer(app, request, (tx) =>
    signInWithToken(tx, request.scope, principal.tokenId, "token"),
  );
  if (made === null) throw errors.revokedToken();
  setSignIn(request, made);
}

/** Signs in with a link, which counts once. @throws errors.linkUnknown, whatever is wrong with the link. */
async function signInByLink(app: HttpApp, request: AuthRequest, code: string): Promise<void> {
  const made = await inPlaceOfFormer(app, request, async (tx) => {
    const link = await takeLink(tx, tokenHash(code));
    return link === null ? null : await signInWithToken(tx, request.scope, link.token_id, "link");
  });
  if (made === null) throw errors.linkUnknown();
  setSignIn(request, made);
}

/** Signs in, and ends the browser's former sign-in, in one transaction. */
async function inPlaceOfFormer(
  { db }: HttpApp,
  request: AuthRequest,
  signIn: (tx: Queryable) => Promise<NewSignIn | null>,
): Promise<NewSignIn | null> {
  return await db.transaction(async (tx) => {
    const made = await signIn(tx);
    if (made !== null) await endFormer(tx, request);
    return made;
  });
}

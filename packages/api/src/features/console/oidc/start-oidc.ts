import { parseInput } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { fullNetwork, networkOf } from "@berth/store/limits";
import { z } from "zod";
import type { HttpApp } from "../../../http/http-app.ts";
import { parseQuery } from "../../../http/parse-query.ts";
import type { AuthRequest } from "../sign-in/auth-route.ts";
import { BrowserSecret } from "./browser-secret.ts";
import { OIDC_COOKIE } from "./oidc-cookie.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { countOidcRequests, insertOidcRequest } from "./oidc-request-store.ts";
import { returnTo } from "./return-to.ts";

const SECONDS = 600;
/** Maximum number of requests under way in the installation; the next constant is for one client address. */
const MAX_OPEN = 10_000;
const MAX_OPEN_OF_ADDRESS = 100;

const query = z.strictObject({ return_to: z.string().optional() });

/**
 * Returns the URL to which the browser is sent.
 *
 * @throws errors.invalid, errors.providerUnavailable, errors.tooManySignIns
 */
export async function startOidc(
  { db }: HttpApp,
  provider: OidcProvider,
  { request, reply, origin, scope }: AuthRequest,
  redirectUri: string,
): Promise<string> {
  const parsed = parseInput(query, parseQuery(request.raw.url ?? ""));
  if ("error" in parsed) throw errors.fault(parsed.error);
  const page = returnTo(parsed.data.return_to);
  const secret = new BrowserSecret();
  const url = await provider.authorizationUrl(secret, redirectUri);
  const { client } = scope;
  await db.transaction(async (tx) => {
    const open = await countOidcRequests(tx);
    const full = fullNetwork(open, client, MAX_OPEN_OF_ADDRESS);
    if (full !== null)
      throw errors.tooManySignIns(`client ${full.isWide ? "network" : "address"}'s`, full.most);
    if (open.reduce((sum, { count }) => sum + count, 0) >= MAX_OPEN)
      throw errors.tooManySignIns("installation's", MAX_OPEN);
    await insertOidcRequest(tx, { secretHash: secret.hash, returnTo: page, network: networkOf(client) });
  });
  reply.header("set-cookie", OIDC_COOKIE.set(secret.text, origin, SECONDS));
  return url.href;
}

import type { Operation } from "@berth/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestFields } from "../../../http/access-log.ts";
import { checkOrigin } from "../../../http/check-origin.ts";
import type { HttpApp } from "../../../http/http-app.ts";
import { toApiError } from "../../../http/render-error.ts";
import { html } from "../../docs/html.ts";
import { plainPage } from "../pages/plain-page.ts";
import { protectRoute } from "../pages/policies.ts";
import { type AuthRequest, authOperation, authRequest } from "../sign-in/auth-route.ts";
import { checkReadable } from "../sign-in/set-sign-in.ts";
import { finishOidc } from "./finish-oidc.ts";
import { OidcProvider } from "./oidc-provider.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { startOidc } from "./start-oidc.ts";

const START = authOperation("startOidc", { method: "GET", path: "/oidc" });
const FINISH = authOperation("signInByOidc", { method: "GET", path: "/oidc/callback" });

/** Mounts the routes that send browsers to the identity provider and sign them in afterwards. */
export function mountOidc(
  app: HttpApp,
  settings: OidcSettings,
  { allowsPlainHttp }: { allowsPlainHttp: boolean },
): void {
  const provider = new OidcProvider(settings, app.log);
  const redirectUri = ({ origin }: AuthRequest) => `${origin}${FINISH.path}`;
  navigation(app, START, async (request) => {
    checkOrigin(request.request.raw, request.origin);
    checkReadable(request, allowsPlainHttp);
    return await startOidc(app, provider, request, redirectUri(request));
  });
  navigation(app, FINISH, (request) =>
    finishOidc(app, { provider, settings }, request, redirectUri(request)),
  );
}

/** Mounts an address to which browsers navigate, and redirects them. Errors are HTML for browsers. */
function navigation(
  app: HttpApp,
  operation: Operation,
  handle: (request: AuthRequest) => Promise<string>,
): void {
  const { method, path: url, id } = operation;
  app.fastify.route({
    ...{ method, url, config: { operation: id } },
    onRequest: protectRoute,
    handler: async (request, reply) => {
      reply.header("cache-control", "no-store");
      try {
        await app.addressRates.takeWithoutToken(app.clients.of(request.raw));
        return reply.redirect(await handle(authRequest(app, operation, request, reply)), 302);
      } catch (error) {
        if (request.headers.accept?.includes("text/html") !== true) throw error;
        return errorPage(app, request, reply, error);
      }
    },
  });
}

function errorPage({ log }: HttpApp, request: FastifyRequest, reply: FastifyReply, error: unknown) {
  const { message, status, headers } = toApiError(error, log, requestFields(request));
  const body = html`<h1>You are not signed in</h1>
<p>${message}</p>
<p>Request: <code>${request.id}</code></p>
<p><a href="/console/">Back to the console</a></p>`;
  return plainPage(reply.headers(headers), status, body);
}

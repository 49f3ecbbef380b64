import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import { freePort } from "../acceptance/harness/free-port.ts";

/** The provider's claims about an account, besides its id. */
export type Claims = Readonly<Record<string, unknown>>;

/** This service as a client of the provider. */
export interface Client {
  id: string;
  secret: string;
  /** The way in which the client sends its secret; in the header by default. */
  method?: "client_secret_basic" | "client_secret_post";
  redirectUris: readonly string[];
}

/**
 * A real OpenID provider on a loopback port that asks for no password: whoever signs in is the account
 * `signedIn`. It listens only between `start` and `stop`.
 */
export class IdentityProvider {
  readonly issuer: string;
  /** Claims by the id of an account. */
  readonly accounts = new Map<string, Claims>();
  /** The account that signs in; null to deny the sign-in. */
  signedIn: string | null = null;
  readonly #port: number;
  #server: Server | null = null;

  private constructor(port: number) {
    this.#port = port;
    this.issuer = `http://127.0.0.1:${port}`;
  }

  /** Allocates an address, on which the provider does not listen yet. */
  static async create(): Promise<IdentityProvider> {
    return new IdentityProvider(await freePort());
  }

  async start(client: Client): Promise<void> {
    const provider = this.#provider(client);
    const handle = provider.callback();
    this.#server = createServer((request, response) => {
      if (request.url?.startsWith("/interaction/")) this.#decide(provider, request, response);
      else handle(request, response);
    }).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = once(server, "close");
    server.close().closeAllConnections();
    await closed;
  }

  #provider({ id, secret, redirectUris, method = "client_secret_basic" }: Client): Provider {
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: id,
          client_secret: secret,
          redirect_uris: [...redirectUris],
          token_endpoint_auth_method: method,
        },
      ],
      clientAuthMethods: [method],
      claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: async () => ({ sub: accountId, ...this.accounts.get(accountId) }),
      }),
      cookies: { keys: [randomBytes(16).toString("hex")] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
    });
  }

  /** Decides an interaction, in place of pages for password and consent. */
  async #decide(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const accountId = this.signedIn;
    if (accountId === null) {
      await provider.interactionFinished(request, response, { error: "access_denied" });
      return;
    }
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { login: { accountId }, consent });
  }
}

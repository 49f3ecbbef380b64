import { readRegularFile } from "@berth/linux";
import { errors } from "@berth/store/errors";
import type { ClientAuth, Configuration } from "openid-client";
import type { Logger } from "pino";
import type { BrowserSecret } from "./browser-secret.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import { providerError, reasonOf } from "./provider-error.ts";

const TIMEOUT_SECONDS = 10;
/** Milliseconds for which the provider's metadata is cached. */
const MAX_AGE_MS = 3_600_000;

/** Claims about the user who has signed in. */
export type Claims = Readonly<Record<string, unknown>> & { sub: string };

/** Client of the operator's identity provider. Its library is loaded at the first sign-in. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #log: Logger;
  #discovered: { at: number; configuration: Promise<Configuration> } | null = null;

  constructor(settings: OidcSettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Returns the URL at which a browser signs in. @throws errors.providerUnavailable */
  async authorizationUrl(secret: BrowserSecret, redirectUri: string): Promise<URL> {
    const client = await import("openid-client");
    return client.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes.join(" "),
      code_challenge: await client.calculatePKCECodeChallenge(secret.codeVerifier),
      code_challenge_method: "S256",
      state: secret.state,
      nonce: secret.nonce,
    });
  }

  /**
   * Returns the claims of who has signed in, from the response that the browser brings.
   *
   * @param answer URL at which the browser came back.
   * @throws errors.providerUnavailable, errors.providerRefused, errors.answerRejected
   */
  async claims(secret: BrowserSecret, answer: URL): Promise<Claims> {
    const client = await import("openid-client");
    const configuration = await this.#configuration();
    const { issuer } = this.#settings;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        pkceCodeVerifier: secret.codeVerifier,
        expectedState: secret.state,
        expectedNonce: secret.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("A response of the identity provider has no claims.");
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      // Many providers send further claims only here. Signed claims take precedence.
      return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    } catch (error) {
      this.#log.warn({ reason: reasonOf(error) }, "a sign-in through the identity provider failed");
      throw providerError(error, issuer, client);
    }
  }

  async #configuration(): Promise<Configuration> {
    const known = this.#discovered;
    if (known !== null && performance.now() - known.at < MAX_AGE_MS) return await known.configuration;
    const asked = { at: performance.now(), configuration: this.#discover() };
    this.#discovered = asked;
    return await asked.configuration.catch((error: unknown) => {
      if (this.#discovered === asked) this.#discovered = null;
      const reason = reasonOf(error);
      this.#log.warn({ reason }, "the identity provider cannot be used");
      throw errors.providerUnavailable(this.#settings.issuer, reason);
    });
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId } = this.#settings;
    const client = await import("openid-client");
    const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
    return await client.discovery(new URL(issuer), clientId, undefined, await this.#clientAuth(), {
      execute: [client.enableNonRepudiationChecks, ...insecure],
      timeout: TIMEOUT_SECONDS,
    });
  }

  /** Returns the client authentication: in the header, unless the provider supports only the body. */
  async #clientAuth(): Promise<ClientAuth> {
    const { clientSecretFile } = this.#settings;
    const client = await import("openid-client");
    if (clientSecretFile === null) return client.None();
    const secret = readRegularFile(clientSecretFile).trim();
    const [inHeader, inBody] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
    return (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      const authenticate = methods.includes("client_secret_basic") ? inHeader : inBody;
      authenticate(server, ...rest);
    };
  }
}

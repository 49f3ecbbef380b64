import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, verify } from "node:crypto";
import type { Access, Tokens } from "../tokens.ts";

export interface App {
  id: string;
  /** PEM. */
  privateKey: string;
}

/** An app that was made from a manifest, as its conversion returns it once. */
export interface ManifestApp extends App {
  name: string;
  /** Where events are delivered, signed with the secret. */
  hook: string;
  secret: string;
  permissions: Readonly<Record<string, "read" | "write">>;
  events: readonly string[];
  /** The organization that has it; null for a user. */
  organization: string | null;
}

export interface InstallOptions {
  app: App;
  /** The organization that has the repositories. */
  account: string;
  /** Names without the organization; all by default. */
  repositories?: readonly string[];
  /** Default: all that an agent can need. */
  permissions?: Readonly<Record<string, "read" | "write">>;
}

export interface Installation extends Required<Omit<InstallOptions, "repositories" | "app">> {
  id: string;
  appId: string;
  repositories: readonly string[] | null;
  suspended: boolean;
}

/** A token that was made for an installation. */
export interface Minted {
  token: string;
  repositories: readonly string[] | null;
  permissions: Readonly<Record<string, string>>;
  expiresAt: Date;
  revoked: boolean;
}

const ALL: Readonly<Record<string, "read" | "write">> = {
  ...{ contents: "write", metadata: "read", pull_requests: "write", issues: "write" },
  ...{ checks: "read", statuses: "read", actions: "read" },
};

/** GitHub Apps, their installations, and the tokens that these made. */
export class Apps {
  /** Seconds for which a new token is valid. GitHub's are valid for an hour. */
  tokenSeconds = 3_600;
  readonly minted: Minted[] = [];
  readonly #tokens: Tokens;
  readonly #keys = new Map<string, KeyObject>();
  readonly #installations = new Map<string, Installation>();
  readonly #made = new Map<string, ManifestApp>();
  /** Apps that were made from a manifest. */
  readonly fromManifests: ManifestApp[] = [];

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  create(): App {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const id = `${1_000 + this.#keys.size}`;
    this.#keys.set(id, createPublicKey(publicKey.export({ type: "spki", format: "pem" })));
    return { id, privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString() };
  }

  /** Makes an app from a manifest, and returns the code that gives it once. */
  submit(manifest: Record<string, unknown>, organization: string | null): string {
    const {
      name,
      hook_attributes: hook,
      default_permissions: permissions,
      default_events: events,
    } = manifest;
    const app: ManifestApp = {
      ...this.create(),
      ...{ name: `${name}`, hook: `${(hook as { url?: string } | undefined)?.url}`, secret: randomUUID() },
      permissions: permissions as ManifestApp["permissions"],
      ...{ events: events as string[], organization },
    };
    const code = randomUUID();
    this.#made.set(code, app);
    this.fromManifests.push(app);
    return code;
  }

  /** Returns the app of a code, and null for a code that was used or never given. */
  convert(code: string): ManifestApp | null {
    const app = this.#made.get(code) ?? null;
    this.#made.delete(code);
    return app;
  }

  installationsOf(appId: string): Installation[] {
    return [...this.#installations.values()].filter((one) => one.appId === appId);
  }

  /** Returns the installation's id. */
  install({ app, account, repositories, permissions = ALL }: InstallOptions): string {
    const id = `${50_000 + this.#installations.size}`;
    const names = repositories ?? null;
    this.#installations.set(id, {
      ...{ id, appId: app.id, account, permissions, repositories: names, suspended: false },
    });
    return id;
  }

  uninstall(id: string): void {
    this.#installations.delete(id);
  }

  suspend(id: string): void {
    const installation = this.#installations.get(id);
    if (installation !== undefined) installation.suspended = true;
  }

  find(id: string): Installation | null {
    return this.#installations.get(id) ?? null;
  }

  /** Returns the id of the app that signed a JSON Web Token that is valid now; null for any other text. */
  appOf(authorization: string | undefined): string | null {
    const [head = "", payload = "", signature = ""] = (authorization ?? "")
      .replace(/^Bearer /, "")
      .split(".");
    try {
      const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
      const { iss, iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
      const key = this.#keys.get(`${iss}`);
      const now = Date.now() / 1_000;
      const isTimely = iat <= now && exp > now && exp - iat <= 600;
      if (alg !== "RS256" || key === undefined || !isTimely) return null;
      const signed = Buffer.from(`${head}.${payload}`);
      return verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")) ? `${iss}` : null;
    } catch {
      return null;
    }
  }

  mint(
    installation: Installation,
    names: readonly string[] | null,
    permissions: Readonly<Record<string, string>>,
  ): Minted {
    const named = names ?? installation.repositories;
    const repositories = named?.map((name) => `${installation.account}/${name}`) ?? null;
    const token = this.#tokens.create({
      user: "app[bot]",
      permissions: permissions.contents === "write" ? "write" : "read",
      issues: (permissions.issues ?? "none") as Access,
      pullRequests: (permissions.pull_requests ?? "none") as Access,
      checks: { runs: permissions.checks !== undefined, statuses: permissions.statuses !== undefined },
      owner: installation.account,
      ...(repositories !== null && { repositories }),
      expiresInSeconds: this.tokenSeconds,
    });
    const expiresAt = new Date(Date.now() + this.tokenSeconds * 1_000);
    const minted = { token, repositories, permissions, expiresAt, revoked: false };
    this.minted.push(minted);
    return minted;
  }

  /** Returns false for a token that no installation made. */
  revoke(token: string): boolean {
    const minted = this.minted.find((one) => one.token === token);
    if (minted === undefined || minted.revoked) return false;
    minted.revoked = true;
    this.#tokens.revoke(token);
    return true;
  }
}

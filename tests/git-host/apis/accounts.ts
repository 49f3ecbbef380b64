/** Accounts that authenticate with a password, as Gitea needs it to make tokens. */
export class Accounts {
  readonly #passwords = new Map<string, string>();

  create(user: string, password: string): void {
    this.#passwords.set(user, password);
  }

  /** Returns the user of a `Basic` header with a valid password; null for any other. */
  check(authorization: string | undefined): string | null {
    const [scheme = "", value = ""] = (authorization ?? "").split(" ", 2);
    if (scheme !== "Basic") return null;
    const [user = "", ...rest] = Buffer.from(value, "base64").toString().split(":");
    return this.#passwords.has(user) && this.#passwords.get(user) === rest.join(":") ? user : null;
  }
}

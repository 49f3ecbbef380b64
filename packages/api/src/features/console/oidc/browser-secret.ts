import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { tokenHash } from "@berth/store/access";

/**
 * The secret of a browser that was sent to the identity provider, which it keeps as a cookie. State, nonce and code verifier are derived
 * from it, so that only this browser can bring the provider's answer, and the database has nothing with which somebody could.
 */
export class BrowserSecret {
  readonly text: string;

  /** @param text Default: a new one. */
  constructor(text: string = randomBytes(32).toString("base64url")) {
    this.text = text;
  }

  get state(): string {
    return this.#derived("state");
  }

  get nonce(): string {
    return this.#derived("nonce");
  }

  get codeVerifier(): string {
    return this.#derived("code verifier");
  }

  /** What is stored in its place. */
  get hash(): Buffer {
    return tokenHash(this.text);
  }

  /** Whether an answer with this state is for this browser. */
  isOf(state: string | null): boolean {
    const [given, own] = [Buffer.from(state ?? ""), Buffer.from(this.state)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  #derived(purpose: string): string {
    return createHmac("sha256", this.text).update(purpose).digest("base64url");
  }
}

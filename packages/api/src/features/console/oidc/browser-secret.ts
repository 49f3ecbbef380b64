import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { tokenHash } from "@berth/store/access";

/**
 * Secret of a browser that was sent to the identity provider; the browser keeps it as a cookie. State, nonce
 * and code verifier are derived from it. So only this browser can bring the provider's response, and the
 * database holds nothing that would let anybody else do so.
 */
export class BrowserSecret {
  readonly text: string;

  /** @param text Default: a new secret. */
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

  /** Hash of the secret, which is stored instead of it. */
  get hash(): Buffer {
    return tokenHash(this.text);
  }

  /** Returns whether a response with this state is for this browser. */
  isOf(state: string | null): boolean {
    const [given, own] = [Buffer.from(state ?? ""), Buffer.from(this.state)];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  #derived(purpose: string): string {
    return createHmac("sha256", this.text).update(purpose).digest("base64url");
  }
}

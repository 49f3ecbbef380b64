import type { IncomingMessage } from "node:http";
import { headerValues } from "./headers.ts";

/**
 * A cookie of the console. Its name contains the port, since browsers keep one set of cookies for all ports
 * of a host. With TLS it is `Secure` and begins with `__Host-`, so that no other host or eavesdropper can set
 * it.
 */
export class Cookie {
  readonly #suffix: string;
  readonly #sameSite: "Strict" | "Lax";

  /** @param sameSite `Lax` cookies are also sent when a link of another site leads here. */
  constructor(suffix: string, sameSite: "Strict" | "Lax") {
    this.#suffix = suffix;
    this.#sameSite = sameSite;
  }

  /** Returns the value; null when absent or repeated. @param origin of the service for this request. */
  read(request: IncomingMessage, origin: string): string | null {
    const name = this.#nameAt(new URL(origin));
    const values = pairsOf(request).flatMap(([key, value]) => (key === name ? [value] : []));
    return values.length === 1 ? (values[0] ?? null) : null;
  }

  /** Returns whether the request has the cookie, for any origin. */
  isIn(request: IncomingMessage): boolean {
    const names = new RegExp(`^(__Host-)?berth_${this.#suffix}(_\\d+)?$`);
    return pairsOf(request).some(([key]) => names.test(key));
  }

  /** Returns the header that sets the cookie. @param seconds 0 deletes the cookie. */
  set(value: string, origin: string, seconds: number): string {
    const url = new URL(origin);
    const attributes = ["Path=/", `Max-Age=${seconds}`, "HttpOnly", `SameSite=${this.#sameSite}`];
    const secure = url.protocol === "https:" ? ["Secure"] : [];
    return [`${this.#nameAt(url)}=${value}`, ...attributes, ...secure].join("; ");
  }

  clear(origin: string): string {
    return this.set("", origin, 0);
  }

  #nameAt({ protocol, port }: URL): string {
    const prefix = protocol === "https:" ? "__Host-" : "";
    return `${prefix}berth_${this.#suffix}${port === "" ? "" : `_${port}`}`;
  }
}

/** Cookie of a sign-in. Browsers do not send it with requests from other sites. */
export const SIGN_IN_COOKIE = new Cookie("console", "Strict");

function pairsOf(request: IncomingMessage): [name: string, value: string][] {
  return headerValues(request, "cookie")
    .flatMap((header) => header.split(";"))
    .map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
}

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { derivedKey } from "@berth/store/secrets";

/** A preview as its address names it. */
export interface AddressedPreview {
  /** uuid. */
  id: string;
  /** First label of its host's name. */
  label: string;
  expires_at: Date;
}

export interface PreviewAddressOptions {
  /** The installation's key. */
  secretKey: Uint8Array;
  /** Origin with `*` as the first label of its host, as in `https://*.previews.example.com`, or null. */
  previewUrl: string | null;
}

/** Path below which a preview's origin belongs to Berth, and not to the program behind it. */
export const OWN_PATH = "/.berth/";
export const ENTER_PATH = `${OWN_PATH}enter`;

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LABEL_LENGTH = 26;
const LABEL = new RegExp(`^[a-z2-7]{${LABEL_LENGTH}}$`);

/** Returns a new label of 130 random bits. */
export function newLabel(): string {
  return [...randomBytes(LABEL_LENGTH)].map((byte) => ALPHABET[byte & 31]).join("");
}

/**
 * Addresses of previews. Each preview has an origin of its own, so that no page of one can read another's, or
 * the service's. Without `previewUrl`, these are names below `localhost`, which browsers resolve to their own
 * machine.
 */
export class PreviewAddresses {
  readonly #key: Buffer;
  readonly #pattern: { protocol: string; suffix: string; port: string } | null;

  constructor({ secretKey, previewUrl }: PreviewAddressOptions) {
    this.#key = derivedKey(secretKey, "preview addresses");
    const url = previewUrl === null ? null : new URL(previewUrl.replace("*", "any"));
    this.#pattern = url && {
      protocol: url.protocol,
      suffix: url.hostname.slice("any".length),
      port: url.port,
    };
  }

  /**
   * Returns the origin of a preview; null when it can have none.
   *
   * @param base URL of the service as the client knows it; null when unknown.
   */
  originOf({ label }: Pick<AddressedPreview, "label">, base: string | null): string | null {
    if (this.#pattern !== null) {
      const { protocol, suffix, port } = this.#pattern;
      return `${protocol}//${label}${suffix}${port === "" ? "" : `:${port}`}`;
    }
    const url = base === null ? null : URL.parse(base);
    if (url === null || !isLoopback(url.hostname)) return null;
    return `${url.protocol}//${label}.localhost${url.port === "" ? "" : `:${url.port}`}`;
  }

  /** Returns the address that opens a preview in a browser; null when it has no origin. */
  urlOf(preview: AddressedPreview, base: string | null): string | null {
    const origin = this.originOf(preview, base);
    // Browsers do not send the fragment, so the token appears in no log.
    return origin === null ? null : `${origin}${ENTER_PATH}#${this.#tokenOf(preview)}`;
  }

  /** Returns whether a token is that of the preview, in constant time. */
  isTokenOf(preview: AddressedPreview, token: string): boolean {
    const expected = Buffer.from(this.#tokenOf(preview));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /**
   * Returns the label in a host, with or without a port; an empty text for another name that only previews can
   * have, and null for a host that is none of a preview.
   */
  labelIn(host: string): string | null {
    const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    const [label = ""] = name.split(".", 1);
    const rest = name.slice(label.length);
    if (rest === ".localhost" && LABEL.test(label)) return label;
    if (this.#pattern === null || !name.endsWith(this.#pattern.suffix)) return null;
    return rest === this.#pattern.suffix && LABEL.test(label) ? label : "";
  }

  #tokenOf({ id, expires_at: expiresAt }: AddressedPreview): string {
    return createHmac("sha256", this.#key).update(`${id} ${expiresAt.getTime()}`).digest("base64url");
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

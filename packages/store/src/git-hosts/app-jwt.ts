import { createPrivateKey, type KeyObject, sign } from "node:crypto";

/** Seconds that a host's clock may be behind, and for which a token is valid. GitHub accepts ten minutes. */
const LEEWAY = 60;
const LIFETIME = 540;

/** Returns the RSA key in a PEM text, or null if there is none. */
export function rsaKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}

/** Returns a JSON Web Token by which a GitHub App authenticates. @throws Error for text without an RSA key. */
export function appJwt(appId: string, pem: string, now = Date.now()): string {
  const key = rsaKey(pem);
  if (key === null) throw new Error("The app's private key is not an RSA key in PEM form.");
  const seconds = Math.floor(now / 1_000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: seconds - LEEWAY, exp: seconds + LIFETIME, iss: appId })}`;
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
}

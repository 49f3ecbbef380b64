import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A key with which commits are signed. */
export interface SigningKey {
  /** `ssh-ed25519` and the key, as in a line of `authorized_keys`, without a comment. */
  publicKey: string;
  /** PEM. */
  privateKey: string;
}

const TYPE = "ssh-ed25519";
/** Signatures of this namespace are of use for git alone. */
const NAMESPACE = "git";
const HASH = "sha512";
const LINE_LENGTH = 70;

export function makeSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: `${TYPE} ${publicBlob(publicKey).toString("base64")}`,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/**
 * Returns git's signature of a text in the armored form of OpenSSH (PROTOCOL.sshsig).
 *
 * @param digest SHA-512 of the text.
 */
export function gitSignature(privateKey: string, digest: Uint8Array): string {
  const key = createPrivateKey(privateKey);
  const signed = Buffer.concat([
    Buffer.from("SSHSIG"),
    ...[NAMESPACE, "", HASH].map(sshString),
    sshString(digest),
  ]);
  const signature = Buffer.concat([sshString(TYPE), sshString(sign(null, signed, key))]);
  const version = Buffer.from([0, 0, 0, 1]);
  const blob = Buffer.concat([
    Buffer.from("SSHSIG"),
    version,
    sshString(publicBlob(createPublicKey(key))),
    ...[NAMESPACE, "", HASH].map(sshString),
    sshString(signature),
  ]);
  const lines = blob.toString("base64").match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----", ""].join("\n");
}

function publicBlob(key: KeyObject): Buffer {
  const { x } = key.export({ format: "jwk" });
  return Buffer.concat([sshString(TYPE), sshString(Buffer.from(x ?? "", "base64url"))]);
}

/** Returns a text or bytes after their length in four bytes. */
function sshString(value: string | Uint8Array): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

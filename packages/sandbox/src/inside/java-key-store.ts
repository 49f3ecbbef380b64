import { createHash, X509Certificate } from "node:crypto";

const MAGIC = 0xfeedfeed;
const VERSION = 2;
const TRUSTED_CERTIFICATE = 2;

/** The password that every Java expects of its authorities. It keeps nothing secret. */
const PASSWORD = "changeit";

/**
 * Returns a key store of Java (JKS, which every version reads) with these authorities, except any that is no
 * certificate, since Java would then trust none. The same authorities give the same bytes.
 *
 * @param certificates Each in PEM.
 */
export function javaKeyStore(certificates: readonly string[]): Buffer {
  const entries = certificates
    .flatMap(contentOf)
    .map((content, index) => entry(`authority-${index + 1}`, content));
  const content = Buffer.concat([int32(MAGIC), int32(VERSION), int32(entries.length), ...entries]);
  return Buffer.concat([content, digest(content)]);
}

function contentOf(pem: string): Buffer[] {
  try {
    return [new X509Certificate(pem).raw];
  } catch {
    return [];
  }
}

function entry(alias: string, certificate: Buffer): Buffer {
  const created = Buffer.alloc(8);
  return Buffer.concat([
    ...[int32(TRUSTED_CERTIFICATE), text(alias), created],
    ...[text("X.509"), int32(certificate.length), certificate],
  ]);
}

/** Java ends a key store with a digest over the password, a fixed text and the content. */
function digest(content: Buffer): Buffer {
  const password = Buffer.from(PASSWORD, "utf16le").swap16();
  return createHash("sha1").update(password).update("Mighty Aphrodite").update(content).digest();
}

function text(value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([length, Buffer.from(value, "ascii")]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

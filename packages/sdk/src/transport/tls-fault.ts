/** Node's codes for a server that does not speak TLS, such as one that was asked by https at its port for http. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;
/** Node's codes for certificates: those of OpenSSL's verification, and its own for names. */
const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT)/;

export interface TlsFault {
  /** What is wrong, in a sentence about the server. */
  message: string;
  /** Another authority's certificate, which the client would have to trust, mends it. */
  isUntrusted: boolean;
}

/** Why a connection to `origin` failed for good at its TLS handshake; null for any other reason. `cause` is that of `fetch`'s error. */
export function tlsFault(origin: string, cause: unknown): TlsFault | null {
  const { code = "", message = "" } = (cause ?? {}) as { code?: string; message?: string };
  if (NOT_TLS.test(code))
    return { message: `${origin} does not speak TLS at this port.`, isUntrusted: false };
  // Deno has no codes.
  if (!CERTIFICATE.test(code) && !/invalid peer certificate/.test(message)) return null;
  const reason = message.trim().replace(/\.$/, "") || code;
  const isUntrusted = !/EXPIRED|NOT_YET_VALID|REVOKED|ALTNAME|HOSTNAME/.test(code);
  return { message: `The certificate of ${origin} is not trusted: ${reason}.`, isUntrusted };
}

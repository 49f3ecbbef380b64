/** Node's codes for a server that does not speak TLS, such as a plain HTTP port. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;
/** Codes of certificate errors: those of OpenSSL's verification, and Node's own for names. */
const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT)/;

export interface TlsFault {
  /** Description of the fault, in a sentence about the server. */
  message: string;
  /** Whether the client would have to trust another authority's certificate. */
  isUntrusted: boolean;
}

/**
 * Returns why a connection to `origin` failed permanently at its TLS handshake; null for any other reason.
 * `cause` is that of `fetch`'s error.
 */
export function tlsFault(origin: string, cause: unknown): TlsFault | null {
  const { code = "", message = "" } = (cause ?? {}) as { code?: string; message?: string };
  if (NOT_TLS.test(code))
    return { message: `${origin} does not speak TLS at this port.`, isUntrusted: false };
  // Deno's errors have no codes.
  if (!CERTIFICATE.test(code) && !/invalid peer certificate/.test(message)) return null;
  const reason = message.trim().replace(/\.$/, "") || code;
  const isUntrusted = !/EXPIRED|NOT_YET_VALID|REVOKED|ALTNAME|HOSTNAME/.test(code);
  return { message: `The certificate of ${origin} is not trusted: ${reason}.`, isUntrusted };
}

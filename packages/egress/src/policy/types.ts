/**
 * Which hosts can be reached. `limited` with no hosts reaches nothing. A host is a name, or a name with a port
 * (`git.example.com:8443`); `*.example.com` matches every name below it, not itself. A name without a port
 * means 80 and 443. `unrestricted` still refuses private, loopback, link-local and metadata addresses.
 */
export type EgressPolicy =
  | { mode: "limited"; hosts: readonly string[] }
  | { mode: "unrestricted"; hosts: readonly string[] };

/**
 * Asked at each connection that a sandbox makes and at each request of those that are opened, so that what it answers holds at
 * once. When it rejects, the connection or the request fails.
 */
export type CredentialSource = () => Promise<readonly SandboxCredential[]>;

/**
 * A secret that is not in the sandbox. What stands there instead is worth nothing anywhere else: on the way to the hosts of
 * the credential, which the policy has to allow as well, the secret takes its place.
 */
export interface SandboxCredential {
  /**
   * Visible ASCII that needs no escape in a URL, unguessable, and in no other text. Inside, the beginning of a well-known kind of
   * token may stand before it; see `inShapeOf`.
   */
  placeholder: string;
  value: string;
  targets: readonly CredentialTarget[];
  /** In the request's target and in short bodies of text too; otherwise in headers alone, since hosts publish bodies. */
  anywhere: boolean;
}

export interface CredentialTarget {
  /** As in an `EgressPolicy`. */
  host: string;
  /** Only for requests to this path, to it with `.git`, or below either. */
  path?: string;
  /** In plain HTTP as well, which whoever sits on the way can read. Default false: in TLS alone. */
  plaintext?: boolean;
}

export interface EgressDenied {
  host: string;
  port: number | null;
  reason:
    | "not_allowed"
    | "private_address"
    | "no_server_name"
    | "name_mismatch"
    | "unknown_protocol"
    | "unresolvable";
}

/** The egress cannot do its part: an option or a policy is invalid, or no network namespace can be made. */
export class EgressError extends Error {
  override readonly name = "EgressError";
}

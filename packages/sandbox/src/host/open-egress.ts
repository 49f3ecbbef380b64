import type { Egress, NetworkNamespace } from "@berth/egress";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";

/**
 * Opens the network of a sandbox. Rejects with `SandboxError`.
 *
 * @param netFd Descriptor of an existing network namespace. Default: a new one is made.
 */
export function openEgress(
  egress: Egress,
  { egress: policy, onEgressDenied: onDenied, credentials, services }: SandboxSpec,
  netFd?: number,
): Promise<NetworkNamespace> {
  return egress
    .open({
      policy,
      ...(onDenied ? { onDenied } : {}),
      ...(credentials ? { credentials } : {}),
      ...(services ? { services } : {}),
      ...(netFd === undefined ? {} : { netFd }),
    })
    .catch((error: Error) => {
      throw new SandboxError(error.message, { cause: error });
    });
}

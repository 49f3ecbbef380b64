import type { KubeConfig } from "@kubernetes/client-node";
import { SandboxError } from "../interface/errors.ts";

export type Library = typeof import("@kubernetes/client-node");

/**
 * Loads the Kubernetes client, and the address and account of a cluster.
 *
 * @param kubeconfig Path of a file; null for the service account of this process's pod.
 * @throws SandboxError with a sentence for the operator.
 */
export async function loadClient(
  kubeconfig: string | null,
): Promise<{ library: Library; config: KubeConfig }> {
  const library = await import("@kubernetes/client-node").catch(describeMissing);
  const config = new library.KubeConfig();
  try {
    if (kubeconfig !== null) config.loadFromFile(kubeconfig);
    // Checked first, because the library would otherwise load an unusable account.
    else if ((process.env.KUBERNETES_SERVICE_HOST ?? "") === "") throw new Error("in no pod");
    else config.loadFromCluster();
  } catch (error) {
    throw new SandboxError(
      kubeconfig === null
        ? "No cluster is there: Berth runs in no pod with a service account, and BERTH_KUBECONFIG is not set."
        : "The cluster's address and account cannot be read from BERTH_KUBECONFIG.",
      { cause: error },
    );
  }
  return { library, config };
}

function describeMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("@kubernetes/")) throw error;
  throw new SandboxError(
    "BERTH_SANDBOX is kubernetes, which needs the package @kubernetes/client-node: install it beside Berth with 'npm install @kubernetes/client-node@2'.",
  );
}

// Subject: errors when the requirements for connecting to a cluster are missing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

/** Simulates an installation without the client. */
const WITHOUT_CLIENT = `import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (!name.startsWith("@kubernetes/")) return next(name, context);
      throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    },
  });`;

function failure(kubeconfig: string | null, ...options: string[]): string {
  const program = `const { Cluster } = await import(${JSON.stringify(import.meta.resolve("./cluster.ts"))});
    console.log(await Cluster.connect(${JSON.stringify(kubeconfig)}, null).then(() => "connected", (error) => error.message));`;
  const env = { ...process.env, KUBERNETES_SERVICE_HOST: "", KUBERNETES_SERVICE_PORT: "" };
  const args = [...options, "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  return stdout.trim() || stderr;
}

test("without the client of Kubernetes, or a kubeconfig that can be read: one sentence says what to do", () => {
  const hooks = `data:text/javascript,${encodeURIComponent(WITHOUT_CLIENT)}`;
  assert.equal(
    failure("/nowhere", "--import", hooks),
    "BERTH_SANDBOX is kubernetes, which needs the package @kubernetes/client-node: install it beside Berth with 'npm install @kubernetes/client-node@2'.",
  );
  assert.equal(
    failure("/nowhere"),
    "The cluster's address and account cannot be read from BERTH_KUBECONFIG.",
  );
  assert.equal(
    failure(null),
    "No cluster is there: Berth runs in no pod with a service account, and BERTH_KUBECONFIG is not set.",
  );
});

import assert from "node:assert/strict";
import type { EgressDenied } from "@berth/egress";
import { conformanceTest, ok, type Suite } from "./context.ts";

/** Tests of secrets that stay outside the sandbox. The tests of egress cover their injection. */
export function credentialTests(suite: Suite): void {
  conformanceTest(
    suite,
    "credentials: a connection to their host is opened, by an authority that programs inside trust",
    async ({ open }) => {
      const denied: EgressDenied[] = [];
      const placeholder = "berthplaceholder0123456789abcdef";
      const targets = [{ host: "api.example" }];
      const sandbox = await open({
        egress: { mode: "limited", hosts: ["api.example"] },
        credentials: async () => [{ placeholder, value: "canary-of-conformance", targets, anywhere: true }],
        onEgressDenied: (one) => denied.push(one),
      });
      // The proxy itself responds to a request for another host, so the test needs no host.
      const told = await ok(sandbox, "curl -sS -m 10 -H 'Host: elsewhere.example' https://api.example/");
      assert.equal(told, "Berth: This connection is for another host.");
      assert.deepEqual(denied, [{ host: "api.example", port: 443, reason: "name_mismatch" }]);
      const search = "grep -rlE 'canary-of|PRIVATE KEY' /etc /data /home /tmp /proc/*/environ 2>/dev/null";
      assert.equal(await ok(sandbox, `${search} | grep -v openssl.cnf; true`), "");
    },
  );

  conformanceTest(
    suite,
    "git settings: each sandbox has its own system configuration, which it cannot change",
    async ({ open }) => {
      const identity = { name: "Ann", email: "ann@example.com" };
      const sandbox = await open({ git: { identity, coAuthor: null, httpsHosts: [] } });
      const listed = "git config --file /etc/gitconfig --includes --list";
      const shown = await ok(sandbox, `${listed}; ! true 2>/dev/null >>/etc/gitconfig`);
      assert.match(shown, /^user\.name=Ann\nuser\.email=ann@example\.com$/m);
      assert.match(shown, /^safe\.barerepository=explicit$/m);
    },
  );
}

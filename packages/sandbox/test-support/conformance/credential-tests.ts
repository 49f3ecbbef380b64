import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { EgressDenied } from "@berth/egress";
import { DEFAULT_IDENTITY, SIGNING_HOST } from "../../src/inside/git-config.ts";
import { conformanceTest, ok, type Suite } from "./context.ts";

const GIT = { identity: DEFAULT_IDENTITY, author: null, coAuthors: [], signingKey: null, httpsHosts: [] };

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
    "signing: git gets the signature of a commit from outside, though no host is allowed",
    async ({ open }) => {
      const asked: string[] = [];
      const signature = "-----BEGIN SSH SIGNATURE-----\nof the test\n-----END SSH SIGNATURE-----\n";
      const answer = async (path: string) => {
        asked.push(path);
        return asked.length === 1
          ? ({ status: 200, body: signature } as const)
          : ({ status: 404, body: "Nothing is signed.\n" } as const);
      };
      const sandbox = await open({
        git: { ...GIT, signingKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA" },
        services: [{ host: SIGNING_HOST, answer }],
      });
      const made = await ok(
        sandbox,
        "cd /data && git init -q signed && cd signed && git commit -q --allow-empty -m one && git cat-file commit HEAD",
      );
      const [head = "", rest = ""] = made.split(/^gpgsig /m);
      const text = `${head}${rest.replace(/^[\s\S]*END SSH SIGNATURE-----\n/, "")}\n`;
      assert.deepEqual(asked, [`/${createHash("sha512").update(text).digest("hex")}`]);
      assert.match(made, /^gpgsig -----BEGIN SSH SIGNATURE-----\n of the test\n/m);
      const failed = "cd /data/signed && ! git commit -q --allow-empty -m two 2>&1 && git log --format=%s";
      assert.match(await ok(sandbox, failed), /berth: no signature: Nothing is signed\.[\s\S]*\none$/);
    },
  );

  conformanceTest(
    suite,
    "git settings: each sandbox has its own system configuration, which it cannot change",
    async ({ open }) => {
      const identity = { name: "Ann", email: "ann@example.com" };
      const sandbox = await open({
        git: { ...GIT, identity },
      });
      const listed = "git config --file /etc/gitconfig --includes --list";
      const shown = await ok(sandbox, `${listed}; ! true 2>/dev/null >>/etc/gitconfig`);
      assert.match(shown, /^user\.name=Ann\nuser\.email=ann@example\.com$/m);
      assert.match(shown, /^safe\.barerepository=explicit$/m);
    },
  );
}

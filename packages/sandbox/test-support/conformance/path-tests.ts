import assert from "node:assert/strict";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Tests of which programs a command finds, and of what they trust. */
export function pathTests(suite: Suite): void {
  conformanceTest(
    suite,
    "path: what the agent installs comes before the system's, and after Berth's",
    async ({ open }) => {
      const sandbox = await open();
      const own =
        "cd ~/.local/bin && test -d ../lib && for n in rg grep; do printf '#!/bin/sh\\necho own\\n' >$n; chmod +x $n; done";
      await ok(sandbox, own);
      for (const shell of [{}, { shell: "main" }]) {
        assert.equal(await ok(sandbox, "grep; command -v rg", shell), "own\n/opt/berth/bin/rg");
      }
    },
  );

  conformanceTest(suite, "path: a disk from before has the directories, too", async ({ open }) => {
    const first = await open();
    await ok(first, "echo kept >~/.local/lib/kept");
    await first.close();
    const second = await open();
    assert.equal(await ok(second, "cat ~/.local/lib/kept; rm -r ~/.local"), "kept");
    await second.close();
    await ok(await open(), "test -d ~/.local/bin && test -d ~/.local/lib");
  });

  conformanceTest(
    suite,
    "path: what no session has says what to use instead, and an installed one is found before that",
    async ({ open }) => {
      const sandbox = await open();
      for (const [command, sentence] of [
        ["podman ps", /^podman: A session has no container engine: start services as programs .*\.\n$/],
        [
          "nvm use 22",
          /^nvm: Versions of languages are chosen by the session's environment \(runtimes\), not by nvm\.\n$/,
        ],
      ] as const) {
        // The system of the sandbox may have the program.
        const { exitCode, text } = await sh(sandbox, `PATH=\${PATH##*:} ${command}`);
        assert.match(text, sentence);
        assert.equal(exitCode, 127);
      }
      assert.match(await ok(sandbox, "printenv PATH"), /:\/opt\/berth\/bin\/shims$/);
      await ok(
        sandbox,
        "printf '#!/bin/sh\\necho mine\\n' >~/.local/bin/podman; chmod +x ~/.local/bin/podman",
      );
      assert.equal(await ok(sandbox, "podman ps"), "mine");
    },
  );

  conformanceTest(
    suite,
    "trust: the authorities are where curl, Node.js and Java read them",
    async ({ open }) => {
      const sandbox = await open();
      assert.match(await ok(sandbox, 'grep -c "BEGIN CERTIFICATE" "$SSL_CERT_FILE"'), /^[1-9]/);
      await ok(sandbox, 'test -r "$NODE_EXTRA_CA_CERTS"');
      assert.equal(await ok(sandbox, "od -An -tx1 -N4 /etc/ssl/certs/java/cacerts"), " fe ed fe ed");
      assert.match((await sh(sandbox, "echo x >>$NODE_EXTRA_CA_CERTS")).text, /denied|[Rr]ead-only/);
    },
  );
}

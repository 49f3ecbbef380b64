import assert from "node:assert/strict";
import fc from "fast-check";
import { recordProcesses, takeEndedProcesses } from "../../src/commands/ended-processes.ts";
import { type Context, conformanceTest, ok, type Suite, sh } from "./context.ts";

const main = { shell: "main" };
const KEPT = "/mnt/session/shells";

/** What of a named shell and of the processes survives its sandbox. */
export function keptShellTests(suite: Suite): void {
  conformanceTest(
    suite,
    "kept shell: directory, exported variables, functions, options",
    async ({ spec, open }) => {
      const one = spec();
      const first = await open(one);
      await ok(
        first,
        "mkdir /data/here; cd /data/here; export y=6; plain=1; f() { echo f$y; }; export -f f",
        main,
      );
      await ok(
        first,
        "shopt -s extglob nullglob; set -f -o pipefail; umask 027; export PATH=/own:$PATH",
        main,
      );
      await ok(first, "cd /home/agent; export y=7", { shell: "other" });
      await first.close();
      const second = await open(one);
      assert.equal(
        await ok(
          second,
          "pwd; f; sh -c 'echo $y'; bash -c f; umask; set +o | grep -c -e '-o pipefail' -e '-o noglob'; shopt extglob nullglob | grep -c on; echo $PATH | cut -d : -f 1; echo [$plain]",
          main,
        ),
        "[This is a new shell. What did not come back with it: Variables that were not exported: plain.]\n/data/here\nf6\n6\nf6\n0027\n2\n2\n/own\n[]",
      );
      assert.equal(await ok(second, "pwd; echo $y", { shell: "other" }), "/home/agent\n7");
      assert.equal(await ok(second, "cd /data; rmdir here; echo $y", main), "6");
      await ok(second, "mkdir gone; cd gone", main);
      await ok(second, "rmdir /data/gone", { shell: "other" });
      await second.close();
      assert.match(
        await ok(await open(one), "pwd", main),
        /The directory \/data\/gone does not exist; this is \/data\.\]\n\/data$/,
      );
    },
  );

  conformanceTest(suite, "kept shell: every value of a variable comes back", async ({ spec, open }) => {
    const byte = fc.integer({ min: 1, max: 255 });
    const special = fc.constantFrom(...Buffer.from("\n'\"=$`\\ !*~\u0001\u007f"));
    const value = fc.array(fc.oneof(byte, special), { maxLength: 30 });
    const values = [
      [],
      [...Buffer.from("é\n=")],
      [0xff, 0xfe],
      ...fc.sample(value, { numRuns: 60, seed: Date.now() % 1e6 }),
    ];
    const octal = (bytes: readonly number[]) =>
      bytes.map((one) => `\\${one.toString(8).padStart(3, "0")}`).join("");
    const one = spec();
    const first = await open(one);
    await ok(first, values.map((bytes, at) => `export v${at}=$'${octal(bytes)}'`).join("\n"), main);
    await first.close();
    const second = await open(one);
    const printed = await second.run({
      ...main,
      script: `printf '%s\\0' ${values.map((_, at) => `"$v${at}"`).join(" ")}`,
      timeoutMs: 20_000,
    });
    const expected = Buffer.concat(values.map((bytes) => Buffer.from([...bytes, 0])));
    assert.deepEqual(Buffer.from(printed.output), expected, JSON.stringify(values));
  });

  conformanceTest(
    suite,
    "kept shell: no given variable and no secret is on the disk",
    async ({ spec, open }) => {
      const one = spec();
      const first = await open(one);
      const given = { environment: { TOKEN: "s3cr$t-1", PLAIN: "plain-value" }, secrets: ["s3cr$t-1"] };
      await ok(
        first,
        "export copy=a$TOKEN own=plain; readonly TOKEN; perl -e 'sleep 600' $TOKEN >/dev/null &",
        {
          ...main,
          ...given,
        },
      );
      const f = "eval \"f() { echo '$TOKEN'; }\"";
      await ok(first, f, { shell: "other", ...given });
      assert.equal(await ok(first, `cat ${KEPT}/* | grep -a -c -e s3cr -e plain-value || :`), "0");
      await first.close();
      const second = await open(one);
      const rotated = { environment: { TOKEN: "new" }, secrets: ["s3cr$t-1", "new"] };
      assert.equal(
        await ok(second, "echo $TOKEN [$copy] [$PLAIN] $own", { ...main, ...rotated }),
        "[This is a new shell. What did not come back with it: With a secret in the value: copy.]\nnew [] [] plain",
      );
      assert.match(
        await ok(second, "type f || echo none", { shell: "other", ...rotated }),
        /secret in the value: the functions[\s\S]*none$/,
      );
    },
  );

  conformanceTest(suite, "kept shell: after exit only the directory is left", async ({ spec, open }) => {
    const one = spec();
    const first = await open(one);
    await ok(first, "cd /tmp; export x=1", main);
    await sh(first, "exit 0", main);
    await first.close();
    assert.equal(await ok(await open(one), "pwd; echo [$x]", main), "/tmp\n[]");
  });

  conformanceTest(
    suite,
    "kept shell: nothing on the disk keeps the shell from working",
    async ({ spec, open }) => {
      const one = spec();
      const broken = [
        `echo 'garbage ${"$("}' >${KEPT}/main.0`,
        `rm -rf ${KEPT}/*; mkfifo ${KEPT}/main.0 ${KEPT}/main.1 ${KEPT}/main.attempts ${KEPT}/processes`,
        `rm -rf ${KEPT}/*; mkdir ${KEPT}/main.0 ${KEPT}/processes; ln -s /dev/zero ${KEPT}/main.1`,
        `rm -rf ${KEPT}/*; truncate -s 1G ${KEPT}/main.0`,
        `rm -rf ${KEPT}/*; printf 'exit 5\\n# complete 9\\n' >${KEPT}/main.0`,
        `rm -rf ${KEPT}/*; printf 'builtin() { :; }\\n# complete 9\\n' >${KEPT}/main.0`,
        `rm -rf ${KEPT}/*; printf 'while :; do :; done\\n# complete 9\\n' >${KEPT}/main.0`,
        `chmod 000 ${KEPT}`,
      ];
      for (const script of broken) {
        const before = await open(one);
        await ok(before, script);
        await before.close();
        const after = await open(one);
        await worksAgain(after, script);
        await ok(after, `chmod 700 ${KEPT}`);
        await after.close();
      }
    },
  );

  conformanceTest(suite, "ended processes: named once, in the next sandbox", async ({ spec, open }) => {
    const one = spec();
    const first = await open(one);
    await ok(
      first,
      "sleep 600 >/dev/null & (exec -a sleeper perl -e 'sleep 601' s3cret-x >/dev/null 2>&1 &)",
      {
        ...main,
        secrets: ["s3cret-x"],
      },
    );
    // The processes that a command begins last may not have their names yet when it ends.
    await ok(first, "until grep -q '[s]leeper' /proc/[0-9]*/cmdline 2>/dev/null; do :; done", {
      ...main,
      secrets: ["s3cret-x"],
    });
    await first.close();
    const second = await open(one);
    assert.deepEqual((await takeEndedProcesses(second)).sort(), [
      "sleep 600",
      "sleeper -e sleep 601 [redacted]",
    ]);
    assert.deepEqual(await takeEndedProcesses(second), []);
    await ok(second, "sleep 603 >/dev/null & sleep 604 >/dev/null & echo $! >/tmp/pid", main);
    await ok(second, "kill $(cat /tmp/pid)");
    await recordProcesses(second, []);
    await second.close();
    assert.deepEqual(await takeEndedProcesses(await open(one)), ["sleep 603"]);
  });
}

/** At most three commands fail before the shell begins anew. */
async function worksAgain(sandbox: Awaited<ReturnType<Context["open"]>>, script: string): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const result = await sh(sandbox, "echo works", { ...main, timeoutMs: 2_000 });
    if (result.exitCode === 0 && result.text.endsWith("works\n")) return;
  }
  assert.fail(script);
}

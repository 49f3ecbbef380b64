import assert from "node:assert/strict";
import fc from "fast-check";
import { noteTold, recordProcesses, untoldProcesses } from "../../src/commands/ended-processes.ts";
import { type Context, conformanceTest, ok, type Suite, sh } from "./context.ts";

const main = { shell: "main" };
const KEPT = "/mnt/session/shells";

/** Tests what survives the sandbox of a named shell and of its processes. */
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
        `rm -rf ${KEPT}/*; mkfifo ${KEPT}/main.untold ${KEPT}/ended`,
        `rm -rf ${KEPT}/*; truncate -s 1G ${KEPT}/main.untold ${KEPT}/ended ${KEPT}/processes`,
        `touch ${KEPT}/main.0 ${KEPT}/main.1 ${KEPT}/main.untold; chmod 000 ${KEPT}/*`,
        `chmod 000 ${KEPT}`,
      ];
      for (const script of broken) {
        const before = await open(one);
        await ok(before, script);
        await before.close();
        const after = await open(one);
        await untoldProcesses(after);
        await worksAgain(after, script);
        await ok(after, `chmod 700 ${KEPT}`);
        await after.close();
      }
    },
  );

  conformanceTest(
    suite,
    "kept shell: a command that changes nothing does not touch the disk",
    async ({ spec, open }) => {
      const sandbox = await open(spec());
      const written = () => ok(sandbox, `stat -c '%n %y' ${KEPT}/main.[01]`);
      await ok(sandbox, "cd /tmp; export x=1; f() { :; }", main);
      const before = await written();
      for (const script of ["true", "ls / >/dev/null", "export x=1"]) await ok(sandbox, script, main);
      assert.equal(await written(), before);
      for (const script of [
        "cd /",
        "f() { echo; }",
        "plain=1",
        "umask 027",
        "shopt -s extglob",
        "alias a=b",
      ]) {
        const last = await written();
        await ok(sandbox, script, main);
        assert.notEqual(await written(), last, script);
      }
    },
  );

  conformanceTest(suite, "kept shell: aliases come back, traps are told", async ({ spec, open }) => {
    const one = spec();
    const first = await open(one);
    await ok(first, `shopt -s expand_aliases; alias greet="echo 'it  is'" ls="ls -l"; f() { ls /; }`, main);
    await ok(first, "trap 'echo usr' USR1", main);
    await ok(first, "alias leak='echo s3cret'", { shell: "other", secrets: ["s3cret"] });
    assert.equal(await ok(first, `cat ${KEPT}/* | grep -c s3cret || :`), "0");
    await first.close();
    const second = await open(one);
    assert.equal(
      await ok(second, "greet me\ntype f | grep -c -e -l; trap -p", main),
      "[This is a new shell. What did not come back with it: Traps.]\nit  is me\n0",
    );
    assert.match(await ok(second, "alias", { shell: "other" }), /secret in the value: the aliases\.\]$/);
  });

  conformanceTest(suite, "kept shell: what is lost is told until it was told", async ({ spec, open }) => {
    const one = spec();
    const first = await open(one);
    await ok(first, "p=1; sleep 600 >/dev/null &", main);
    await ok(first, "until grep -q '^[s]leep' /proc/[0-9]*/cmdline 2>/dev/null; do :; done", main);
    await first.close();
    const lost =
      "[This is a new shell. What did not come back with it: Variables that were not exported: p.]";
    for (const round of ["first", "again"]) {
      const next = await open(one);
      assert.deepEqual(await untoldProcesses(next), ["sleep 600"], round);
      assert.equal(await ok(next, "echo hi", main), `${lost}\nhi`, round);
      await next.close();
    }
    const told = await open(one);
    assert.equal(await ok(told, "p=2", main), lost);
    await noteTold(told);
    assert.equal(await ok(told, "echo hi", main), "hi");
    await noteTold(told);
    await told.close();
    const last = await open(one);
    assert.deepEqual(await untoldProcesses(last), []);
    assert.equal(await ok(last, "echo hi", main), `${lost}\nhi`);
  });

  conformanceTest(suite, "kept shell: whatever a command left, the next one runs", async ({ spec, open }) => {
    const left = [
      "set -euo pipefail",
      "set -afvx -o posix",
      "set -ET; trap 'echo the command is $BASH_COMMAND' DEBUG ERR RETURN",
      "declare -rx IFS=: OFS=:",
      "set -o posix; declare -rx IFS=: PATH",
      "export PROMPT_COMMAND='exit 3' BASH_ENV=/tmp/env ENV=/tmp/env; echo exit 4 >/tmp/env",
      "printf() { :; }; declare() { :; }; mapfile() { :; }; compgen() { :; }; alias() { :; }; umask() { :; }",
      "shopt -s expand_aliases; alias printf=exit declare=exit mapfile=exit compgen=exit",
      "export large=$(head -c 200000 /dev/zero | tr '\\0' x)",
      "large=$(head -c 10000000 /dev/zero | tr '\\0' x)",
      "umask 777",
      "readonly IFS PATH LANG; declare -r x=1",
      "mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone",
      "rm -rf /dev/shm/.berth*",
      "rm -rf /dev/shm/.berth*; for f in now saved jobs; do mkfifo /dev/shm/.berth-shell-s{0..19}.$f; done",
      "head -c 1G /dev/zero >/dev/shm/full 2>/dev/null",
      "exec 0<&- 1>&- 2>&-",
      "shopt -s extdebug; set -o functrace",
    ];
    const one = spec();
    const first = await open(one);
    for (const [at, script] of left.entries()) {
      const own = { shell: `s${at}`, timeoutMs: 20_000 };
      await sh(first, "cd /home/agent; export kept=1", own);
      assert.equal((await sh(first, script, own)).ended, "exit", script);
      assert.match((await sh(first, "echo works $kept", own)).text, /works 1\n/, script);
    }
    await first.close();
    const second = await open(one);
    for (const [at, script] of left.entries()) {
      const { text } = await sh(second, "echo works $kept $PWD", { shell: `s${at}`, timeoutMs: 20_000 });
      assert.match(text, /works 1 \/(home\/agent|data)\n/, script);
    }
  });

  conformanceTest(
    suite,
    "kept shell: a command that takes the shell's means loses only itself",
    async ({ spec, open }) => {
      const taken = [
        "builtin() { :; }",
        "trap false DEBUG; shopt -s extdebug",
        "enable -n printf",
        "readonly berth_now=1",
        "set -n",
        "ulimit -f 0",
        "exec sleep 0",
      ];
      const one = spec();
      const sandbox = await open(one);
      for (const script of taken) {
        await ok(sandbox, "cd /tmp", main);
        await sh(sandbox, script, { ...main, timeoutMs: 500 });
        await worksAgain(sandbox, script);
        assert.match(await ok(sandbox, "pwd", main), /\/tmp$/, script);
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
    // The last processes that a command starts may not have their names yet when it ends.
    await ok(first, "until grep -q '[s]leeper' /proc/[0-9]*/cmdline 2>/dev/null; do :; done", {
      ...main,
      secrets: ["s3cret-x"],
    });
    await first.close();
    const second = await open(one);
    assert.deepEqual((await untoldProcesses(second)).sort(), [
      "sleep 600",
      "sleeper -e sleep 601 [redacted]",
    ]);
    await noteTold(second);
    assert.deepEqual(await untoldProcesses(second), []);
    await ok(second, "sleep 603 >/dev/null & sleep 604 >/dev/null & echo $! >/tmp/pid", main);
    await ok(
      second,
      "pid=$(cat /tmp/pid); kill $pid; while grep -q '^State:.[^Z]' /proc/$pid/status 2>/dev/null; do :; done",
    );
    await recordProcesses(second, []);
    await second.close();
    assert.deepEqual(await untoldProcesses(await open(one)), ["sleep 603"]);
  });

  conformanceTest(suite, "ended processes: one without a command line is named", async ({ spec, open }) => {
    const one = spec();
    const first = await open(one);
    await ok(first, "mkfifo /tmp/f; (exec -a '' cat) <>/tmp/f >/dev/null &", main);
    await ok(first, "until grep -qx cat /proc/$!/comm; do :; done", main);
    await first.close();
    assert.deepEqual(await untoldProcesses(await open(one)), ["cat"]);
  });

  conformanceTest(
    suite,
    "ended processes: a background job that runs no program is named",
    async ({ spec, open }) => {
      const one = spec();
      const first = await open(one);
      await ok(
        first,
        "mkfifo /tmp/f; while read -r s3cret; do :; done <>/tmp/f >/dev/null & { read -r; } <>/tmp/f | { read -r; } >/dev/null 2>&1 &",
        { ...main, secrets: ["s3cret"] },
      );
      const named = [
        "while read -r [redacted]; do :; done 0<> /tmp/f > /dev/null &",
        "{ read -r; } 0<> /tmp/f",
        "{ read -r; } > /dev/null 2>&1 &",
      ];
      await first.close();
      const second = await open(one);
      assert.deepEqual((await untoldProcesses(second)).sort(), named.sort());
      await noteTold(second);
      await ok(second, "while read -r x; do :; done <>/tmp/f >/dev/null &", main);
      await recordProcesses(second, []);
      await second.close();
      assert.deepEqual(await untoldProcesses(await open(one)), [
        "while read -r x; do :; done 0<> /tmp/f > /dev/null &",
      ]);
    },
  );
}

/** Checks that the shell works again after at most three failed commands. */
async function worksAgain(sandbox: Awaited<ReturnType<Context["open"]>>, script: string): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const result = await sh(sandbox, "echo works", { ...main, timeoutMs: 4_000 });
    if (result.exitCode === 0 && result.text.endsWith("works\n")) return;
  }
  assert.fail(script);
}

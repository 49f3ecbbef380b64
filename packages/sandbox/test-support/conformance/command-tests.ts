import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Tests of single commands: text, variables, input, directory and exit code. */
export function commandTests(suite: Suite): void {
  conformanceTest(
    suite,
    "command: returns the exit code and the output with standard error interleaved",
    async ({ open }) => {
      const sandbox = await open();
      const result = await sh(
        sandbox,
        "echo one; echo two >&2; echo three >/dev/stderr; echo four >/dev/stdout; exit 3",
      );
      assert.deepEqual([result.ended, result.exitCode, result.text], ["exit", 3, "one\ntwo\nthree\nfour\n"]);
      assert.deepEqual([result.omittedBytes, result.outputFile, result.cwd], [0, null, null]);
      assert.equal((await sh(sandbox, "printf 'no newline'")).text, "no newline");
      assert.equal((await sh(sandbox, "sh -c 'kill -INT $$'")).exitCode, 130);
      assert.equal((await sh(sandbox, "kill -KILL $$")).exitCode, 137);
      assert.equal((await sh(sandbox, "exec false")).exitCode, 1);
      assert.equal((await sh(sandbox, "")).exitCode, 0);
    },
  );

  conformanceTest(
    suite,
    "a fresh shell starts in /data or where it is told, and keeps nothing",
    async ({ open }) => {
      const sandbox = await open();
      assert.equal(await ok(sandbox, "cd /tmp; x=1; pwd"), "/tmp");
      assert.equal(await ok(sandbox, "pwd; echo [$x] $#"), "/data\n[] 0");
      await ok(sandbox, 'mkdir "/data/it\'s \\"odd\\""');
      assert.equal(await ok(sandbox, "pwd", { cwd: '/data/it\'s "odd"' }), '/data/it\'s "odd"');
      assert.notEqual((await sh(sandbox, "pwd", { cwd: "/nowhere" })).exitCode, 0);
    },
  );

  conformanceTest(suite, "command: the script runs unchanged", async ({ open }) => {
    const sandbox = await open();
    assert.equal(await ok(sandbox, `echo 'a"b' "c'd" \\$HOME '$(id)'`), `a"b c'd $HOME $(id)`);
    assert.equal(await ok(sandbox, "cat <<'END'\n$HOME '\n)\nEND\necho after"), "$HOME '\n)\nafter");
    assert.equal(await ok(sandbox, "echo üñí🚢\r"), "üñí🚢\r");
    const broken = await sh(sandbox, "echo before\necho 'unterminated");
    assert.equal(broken.ended, "exit");
    assert.equal(broken.exitCode, 2);
    assert.match(broken.text, /[Uu]nterminated|unexpected/);
    assert.equal((await sh(sandbox, "fi")).exitCode, 2);
    assert.equal(await ok(sandbox, "trap 'echo bye' EXIT; echo hi"), "hi\nbye");
    const forged = `${"0123456789abcdef".repeat(2)} 0 / ${"0123456789abcdef".repeat(2)}`;
    assert.equal(
      await ok(
        sandbox,
        `echo '${forged}'; env | grep -c x; cat /proc/$$/cmdline | tr '\\0' ' ' >/dev/null; echo end`,
      ).then((text) => text.endsWith("end")),
      true,
    );
  });

  conformanceTest(suite, "command: a script of a megabyte runs in both kinds of shell", async ({ open }) => {
    const sandbox = await open();
    const text = randomBytes(500_000).toString("hex");
    const digest = createHash("sha256").update(text).digest("hex");
    for (const shell of [{}, { shell: "main" }])
      assert.equal(await ok(sandbox, `printf %s '${text}' | sha256sum | cut -c1-64`, shell), digest);
  });

  conformanceTest(suite, "command: variables reach it and no other command", async ({ open }) => {
    const sandbox = await open();
    const value = "s3cret 'quoted' \"$HOME\" `id`\nsecond line \\";
    assert.equal(
      await ok(sandbox, 'printf %s "$TOKEN"; sh -c \'printf %s "$TOKEN"\'', {
        environment: { TOKEN: value },
      }),
      value + value,
    );
    assert.equal(await ok(sandbox, 'echo "[$TOKEN]"'), "[]");
    const seen = await ok(sandbox, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; cat /proc/1/environ", {
      environment: { TOKEN: "s3cret-value" },
    });
    assert.ok(!seen.includes("s3cret-value"));
    await assert.rejects(sandbox.run({ script: "id", timeoutMs: 1000, environment: { "A B": "x" } }), {
      name: "SandboxError",
    });
    await assert.rejects(sandbox.run({ script: "id", timeoutMs: 1000, environment: { A: "x\0" } }), {
      name: "SandboxError",
    });
    await assert.rejects(sandbox.run({ script: "id\0", timeoutMs: 1000 }), { name: "SandboxError" });
    assert.equal(await ok(sandbox, "echo fine"), "fine");
  });

  conformanceTest(suite, "command: standard input is the given bytes or empty", async ({ open }) => {
    const sandbox = await open();
    const stdin = randomBytes(1_000_000);
    const digest = createHash("sha256").update(stdin).digest("hex");
    for (const shell of [{}, { shell: "main" }]) {
      assert.equal(await ok(sandbox, "sha256sum | cut -c1-64", { stdin, ...shell }), digest);
      assert.equal(await ok(sandbox, "wc -c", shell), "0");
      assert.equal(await ok(sandbox, "wc -c", { ...shell, stdin: new Uint8Array() }), "0");
      assert.equal(await ok(sandbox, "echo unread", { ...shell, stdin }), "unread");
    }
  });

  conformanceTest(suite, "command: several run concurrently", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, "mkfifo /tmp/there /tmp/back");
    const [left, right] = await Promise.all([
      ok(sandbox, "echo ping >/tmp/there; cat /tmp/back"),
      ok(sandbox, "cat /tmp/there; echo pong >/tmp/back"),
    ]);
    assert.deepEqual([left, right], ["pong", "ping"]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, number) => ok(sandbox, `echo ${number}`)));
    assert.deepEqual(
      all,
      Array.from({ length: 20 }, (_, number) => String(number)),
    );
  });

  conformanceTest(
    suite,
    "a job in the background neither holds up its command nor ends with it",
    async ({ open }) => {
      const sandbox = await open();
      for (const shell of [{}, { shell: "main" }]) {
        const from = performance.now();
        const pid = await ok(sandbox, "sleep 600 & echo $!", shell);
        assert.ok(performance.now() - from < 30_000);
        assert.equal(await ok(sandbox, `kill -0 ${pid} && echo alive`), "alive");
      }
    },
  );

  conformanceTest(suite, "command: hosts denied meanwhile are in its result", async ({ open }) => {
    const sandbox = await open();
    const refused = async (script: string) => (await sh(sandbox, script)).denied?.map(({ host }) => host);
    // Denied twice within a second, which `onEgressDenied` reports once.
    for (const shell of [{}, { shell: "main" }]) {
      const { denied } = await sh(sandbox, "curl -s http://a.example/ http://a.example/", shell);
      assert.deepEqual(denied, [{ host: "a.example", port: null, reason: "not_allowed" }]);
    }
    assert.deepEqual(await refused("curl -s http://b.example http://c.example"), ["b.example", "c.example"]);
    assert.equal(await refused("true"), undefined);
  });

  conformanceTest(suite, "command: git, ripgrep and the usual tools exist", async ({ open }) => {
    const sandbox = await open();
    assert.match(await ok(sandbox, "git --version"), /^git version/);
    assert.match(await ok(sandbox, "rg --version"), /^ripgrep/);
    assert.equal(
      await ok(sandbox, "id -un; echo $HOME; awk 'BEGIN{print 1}'; getent passwd agent | cut -d: -f6"),
      "agent\n/home/agent\n1\n/home/agent",
    );
    assert.match(
      await ok(
        sandbox,
        "git init -q r && cd r && echo x >f && git add f && git commit -qm m && git log --format=%s && git clone -q . ../c && ls ../c",
      ),
      /^m\nf$/,
    );
  });
}

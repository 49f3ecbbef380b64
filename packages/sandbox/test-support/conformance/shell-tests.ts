import assert from "node:assert/strict";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Tests of named shells, which persist between commands. */
export function shellTests(suite: Suite): void {
  const main = { shell: "main" };

  conformanceTest(suite, "shell: keeps directory, variables and functions", async ({ open }) => {
    const sandbox = await open();
    const first = await sh(sandbox, "cd /tmp; x=5; export y=6; f() { echo f$x; }; echo $BASH_VERSION", main);
    assert.deepEqual([first.exitCode, first.cwd], [0, "/tmp"]);
    assert.match(first.text, /^\d/);
    const second = await sh(sandbox, "f; sh -c 'echo $y'; pwd; false", main);
    assert.deepEqual([second.exitCode, second.text, second.cwd], [1, "f5\n6\n/tmp\n", "/tmp"]);
    assert.equal(await ok(sandbox, "pwd; echo [$x]", { shell: "other" }), "/data\n[]");
    assert.equal(await ok(sandbox, "pwd", { shell: "third", cwd: "/home/agent" }), "/home/agent");
  });

  conformanceTest(suite, "shell: commands run one after another", async ({ open }) => {
    const sandbox = await open();
    await Promise.all(Array.from({ length: 8 }, (_, number) => ok(sandbox, `log="$log ${number}"`, main)));
    assert.equal(await ok(sandbox, "echo $log", main), "0 1 2 3 4 5 6 7");
  });

  conformanceTest(suite, "shell: commands aside run beside each other, each in a copy", async ({ open }) => {
    const sandbox = await open();
    const aside = { ...main, aside: true };
    await ok(sandbox, "cd /tmp; x=1; export y=2; f() { echo f$x$y; }; set -u", main);
    // Each command waits for the next one, and the last for the first: run in sequence, none would end.
    const meet = (own: number, other: number) =>
      `f; touch here.${own}; until [ -e here.${other} ]; do sleep 0.01; done; echo $PWD \${none-unset}`;
    const all = await Promise.all([
      sh(sandbox, `${meet(1, 2)}; cd /; x=changed; exit 3`, aside),
      sh(sandbox, `${meet(2, 3)}; set -e; export Z=z; false; echo not reached`, aside),
      sh(sandbox, `${meet(3, 1)}; cd /data; x=last; wait; echo "[\${!-}]"`, main),
    ]);
    assert.deepEqual(
      all.map(({ ended, exitCode, text, cwd }) => [ended, exitCode, text, cwd]),
      [
        ["exit", 3, "f12\n/tmp unset\n", null],
        ["exit", 1, "f12\n/tmp unset\n", null],
        ["exit", 0, "f12\n/tmp unset\n[]\n", "/data"],
      ],
    );
    assert.equal(await ok(sandbox, "echo $x $PWD; printenv Z || echo none; jobs", main), "last /data\nnone");
  });

  conformanceTest(
    suite,
    "shell: a command aside has variables, input and an end of its own",
    async ({ open }) => {
      const sandbox = await open();
      const aside = { shell: "first", aside: true };
      const given = { environment: { TOKEN: "of the copy" }, stdin: Buffer.from("input") };
      assert.equal(await ok(sandbox, "echo $TOKEN; cat", { ...aside, ...given }), "of the copy\ninput");
      assert.equal(await ok(sandbox, "printenv TOKEN || echo none", { shell: "first" }), "none");
      const [late, killed, next] = await Promise.all([
        sh(sandbox, "echo begun; sleep 600", { ...aside, timeoutMs: 3_000 }),
        sh(sandbox, "kill -KILL $BASHPID", aside),
        sh(sandbox, "x=1; echo main", { shell: "first" }),
      ]);
      assert.deepEqual(
        [late.ended, late.text, killed.exitCode, next.text],
        ["timeout", "begun\n", 137, "main\n"],
      );
      assert.equal(await ok(sandbox, "echo $x; pgrep -x sleep || echo none", { shell: "first" }), "1\nnone");
      const stop = new AbortController();
      const stopped = sh(sandbox, "sleep 600", { ...aside, signal: stop.signal });
      assert.equal(await ok(sandbox, "exit 5", { shell: "first" }).catch(() => "ended"), "ended");
      stop.abort();
      assert.equal((await stopped).ended, "aborted");
      assert.equal((await sh(sandbox, "syntax ( error", aside)).ended, "exit");
      assert.equal(await ok(sandbox, "echo on", aside), "on");
    },
  );

  conformanceTest(
    suite,
    "shell: variables of the shell itself cannot be given, and its directory is known",
    async ({ open }) => {
      const sandbox = await open();
      const environment = { PWD: "/nowhere", OLDPWD: "x", UID: "7", IFS: "a", SHELLOPTS: "x", REAL: "r" };
      const given = { ...main, environment };
      const first = await sh(sandbox, "cd /tmp; echo $PWD $REAL $UID; set -- banana; echo $*", given);
      assert.match(first.text, /^\/tmp r \d+\nbanana\n$/);
      assert.equal(first.cwd, "/tmp");
      assert.equal((await sh(sandbox, "PWD=/elsewhere", main)).cwd, "/tmp");
      assert.equal((await sh(sandbox, "unset PWD", main)).cwd, "/tmp");
      assert.equal(await ok(sandbox, "echo $PWD; cd /data; cd - >/dev/null; pwd", main), "/tmp\n/tmp");
      assert.match((await sh(sandbox, "pwd; echo $PWD", { environment })).text, /^\/data\n\/data\n$/);
    },
  );

  conformanceTest(
    suite,
    "exit ends a named shell, and the next starts in its last directory",
    async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, "cd /tmp; x=1", main);
      const ended = await sh(sandbox, "echo out; exit 7", main);
      assert.deepEqual([ended.ended, ended.exitCode, ended.text, ended.cwd], ["exit", 7, "out\n", "/tmp"]);
      assert.equal(await ok(sandbox, "pwd; echo [$x]", main), "/tmp\n[]");
      assert.equal((await sh(sandbox, "kill -KILL $$", main)).exitCode, 137);
      assert.equal((await sh(sandbox, "sleep 600 & exit 4", main)).exitCode, 4);
      assert.equal((await sh(sandbox, "set -e; false; echo not reached", main)).exitCode, 1);
      assert.equal((await sh(sandbox, "exec sh -c 'exit 9'", main)).exitCode, 9);
      await ok(sandbox, "mkdir /tmp/gone; cd /tmp/gone", main);
      await sh(sandbox, "rmdir /tmp/gone; exit", main);
      assert.match(await ok(sandbox, "pwd", main), /^\[.*\/tmp\/gone does not exist.*\]\n\/data$/);
    },
  );

  conformanceTest(suite, "shell: a syntax error in a script does not end it", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, "x=kept", main);
    for (const script of [
      "echo 'open",
      "fi",
      "return 3",
      "break",
      "exec 5>/nowhere/x",
      "${",
      "trap 'exit 1' ERR; trap - ERR",
    ])
      assert.equal((await sh(sandbox, script, main)).ended, "exit", script);
    assert.equal(await ok(sandbox, "echo $x; exec 3>&1 4>&1; echo shown >&3", main), "kept\nshown");
    assert.equal(await ok(sandbox, "exec >/dev/null; echo hidden", main), "");
    assert.equal(await ok(sandbox, "echo $x", main), "kept");
  });

  conformanceTest(
    suite,
    "shell: variables of each command replace those of the one before",
    async ({ open }) => {
      const sandbox = await open();
      assert.equal(
        await ok(sandbox, 'sh -c "echo \\$TOKEN"', { ...main, environment: { TOKEN: "old" } }),
        "old",
      );
      assert.equal(
        await ok(sandbox, 'sh -c "echo \\$TOKEN"', { ...main, environment: { TOKEN: "new" } }),
        "new",
      );
      assert.equal(
        await ok(sandbox, "own=1; printenv TOKEN || echo none", { ...main, environment: { OTHER: "x" } }),
        "none",
      );
      assert.equal(await ok(sandbox, "printenv OTHER || echo $own $HOME", main), "1 /home/agent");
    },
  );

  conformanceTest(
    suite,
    "a timeout kills a named shell, and the next goes on in its directory",
    async ({ open }) => {
      const sandbox = await open();
      const server = await ok(sandbox, "cd /tmp; x=1; sleep 600 >/dev/null & echo $!", main);
      const killed = await sh(sandbox, "trap '' TERM; echo on; while :; do :; done", {
        ...main,
        timeoutMs: 2_000,
      });
      assert.deepEqual(
        [killed.ended, killed.exitCode, killed.text, killed.cwd],
        ["timeout", null, "on\n", "/tmp"],
      );
      const line =
        "[This is a new shell. What did not come back with it: Variables that were not exported: x.]";
      assert.equal(await ok(sandbox, "pwd; echo [$x]", main), `${line}\n/tmp\n[]`);
      assert.equal(await ok(sandbox, `kill -0 ${server} && echo alive`, main), "alive");
    },
  );
}

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { listDirectory } from "../../src/inspect/list-directory.ts";
import { readFiles } from "../../src/inspect/read-files.ts";
import { readPart } from "../../src/inspect/read-part.ts";
import { conformanceTest, ok, type Suite } from "./context.ts";

const TIME = { timeoutMs: 60_000 };

/** Tests of reading a sandbox's files from outside. */
export function inspectTests(suite: Suite): void {
  conformanceTest(
    suite,
    "inspect: directories and parts of files, beside a running command",
    async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, "mkdir -p sub && printf 0123456789 >digits && ln -s digits link && mkfifo gate");
      const running = sandbox.run({ script: "cat gate", shell: "main", timeoutMs: 60_000 });
      const first = await listDirectory(sandbox, "/data", { after: null, max: 2, ...TIME });
      assert.ok(first.ok);
      assert.deepEqual(first.entries.map(({ name, type, size }) => [`${name}`, type, size]).slice(0, 1), [
        ["digits", "file", 10],
      ]);
      const rest = await listDirectory(sandbox, "/data", { after: Buffer.from("gate"), max: 5, ...TIME });
      assert.ok(rest.ok);
      assert.deepEqual(
        rest.entries.map(({ name, type, target }) => [`${name}`, type, `${target}`]),
        [
          ["link", "symlink", "digits"],
          ["sub", "directory", ""],
        ],
      );
      const part = await readPart(sandbox, "/data/digits", { from: 3, count: 4, ...TIME });
      assert.ok(part.ok);
      assert.deepEqual([part.size, `${part.bytes}`], [10, "3456"]);
      for (const [path, reason] of [
        ["/data/gate", "not_a_file"],
        ["/data/link", "link"],
        ["/data/none", "not_found"],
      ])
        assert.deepEqual(await readPart(sandbox, path ?? "", { from: 0, count: 1, ...TIME }), {
          ok: false,
          reason,
        });
      await ok(sandbox, "echo on >gate");
      assert.equal(`${(await running).output}`, "on\n");
    },
  );
  conformanceTest(suite, "inspect: many files at once, with whatever bytes", async ({ open }) => {
    const sandbox = await open();
    await ok(
      sandbox,
      "for n in $(seq 200); do head -c $((n * 100)) /dev/urandom >$n; done; printf x >'of two\nlines'; mkfifo gate",
    );
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
    const files = [
      ...numbers.map((n) => ({ path: Buffer.from(`${n}`), size: n * 100 })),
      { path: Buffer.from("of two\nlines"), size: 1 },
      { path: Buffer.from("gate"), size: 1 },
    ];
    const { contents, ended } = await readFiles(sandbox, "/data", files, TIME);
    assert.ok(ended);
    assert.equal(contents.length, 202);
    assert.deepEqual([`${contents[200]}`, contents[201]], ["x", null]);
    const digests = numbers.map((n) =>
      createHash("sha256")
        .update(contents[n - 1] ?? "")
        .digest("hex"),
    );
    assert.equal(await ok(sandbox, "sha256sum $(seq 200) | cut -d' ' -f1"), digests.join("\n"));
  });
}

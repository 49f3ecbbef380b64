import assert from "node:assert/strict";
import { listDirectory } from "../../src/inspect/list-directory.ts";
import { readPart } from "../../src/inspect/read-part.ts";
import { conformanceTest, ok, type Suite } from "./context.ts";

const TIME = { timeoutMs: 60_000 };

/** What is looked at from outside. */
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
}

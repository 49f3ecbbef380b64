import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LeaseLost } from "@berth/agent";
import type { Sandbox } from "@berth/sandbox";
import { testMount } from "../../test-support/memory.ts";

const NEVER = new AbortController().signal;

describe("MountedStore", () => {
  test("fill, then sync: changes on either side → applied on the other", async (t) => {
    const { store, sandbox, sh, change, memories, versions } = await testMount(t);
    for (const path of ["/a", "/dir/b", "/dir/deeper/ü c"]) await change(path, `at ${path}\n`);
    assert.equal(await store.fill(sandbox), null);
    assert.equal(await sh("cat a dir/b 'dir/deeper/ü c'"), "at /a\nat /dir/b\nat /dir/deeper/ü c\n");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.equal(await versions(), 3, "nothing changed");
    await sh("echo changed > a; mkdir new; printf '' > new/empty; rm dir/b");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    const now = { "/a": "changed\n", "/dir/deeper/ü c": "at /dir/deeper/ü c\n", "/new/empty": "" };
    assert.deepEqual(await memories(), now);
    assert.equal(await versions(), 6);
    await change("/new/empty", null);
    await change("/new", "a file now");
    await change("/a", null);
    await change("/a/below", "a directory now");
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    assert.equal(
      await sh("find . -type f | sort; cat new a/below"),
      "./a/below\n./dir/deeper/ü c\n./new\na file nowa directory now",
    );
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    assert.equal(await versions(), 10, "what was brought in is not taken out");
  });

  test("sync: a change that keeps size and modification time → detected", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    await change("/a", "one");
    await store.fill(sandbox);
    await store.sync(sandbox, true, NEVER);
    await sh("touch -r a /tmp/time; printf two > a; touch -r /tmp/time a");
    await store.sync(sandbox, false, NEVER);
    assert.deepEqual(await memories(), { "/a": "two" });
  });

  test("sync: changed on both sides → the memory stays, the file is restored, and the agent is told", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    for (const path of ["/both", "/removed-here", "/removed-there", "/same"]) await change(path, "base");
    await store.fill(sandbox);
    await sh(
      "echo here > both; rm removed-here; echo here > removed-there; printf agreed > same; echo new > new",
    );
    await change("/both", "there");
    await change("/removed-here", "there");
    await change("/removed-there", null);
    await change("/same", "agreed");
    await change("/new", "there");
    const told = (await store.sync(sandbox, false, NEVER)).join("\n");
    for (const name of ["both", "removed-here", "removed-there", "new"]) {
      assert.match(
        told,
        new RegExp(`/mnt/memory/notes/${name} was not taken: the memory was changed elsewhere`),
      );
    }
    assert.doesNotMatch(told, /same/);
    assert.deepEqual(await memories(), {
      "/both": "there",
      "/new": "there",
      "/removed-here": "there",
      "/same": "agreed",
    });
    assert.equal(
      await sh("for f in *; do echo $f $(cat $f); done"),
      "both there\nnew there\nremoved-here there\nsame agreed\n",
    );
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
  });

  test("sync: links and directories in the way → replaced, NEVER followed", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    for (const path of ["/dir/a", "/file", "/other"]) await change(path, "base");
    await store.fill(sandbox);
    await sh(`mkdir -p /data/away && echo mine > /data/away/a && rm -r dir && ln -s /data/away dir &&
      rm file && ln -s /data/away/a file && rm other && mkdir other && ln -s /data/away/a other/link`);
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), {});
    for (const path of ["/dir/a", "/file", "/other"]) await change(path, "again");
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    assert.equal(await sh("cat dir/a file other /data/away/a"), "againagainagainmine\n");
    assert.deepEqual(await memories(), { "/dir/a": "again", "/file": "again", "/other": "again" });
  });

  test("sync: files that cannot be memories → reported once, and other changes are applied", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    await change("/text", "text");
    await store.fill(sandbox);
    await sh(
      "printf 'a\\377' > text; mkdir -p a/$(printf 'b\\001'); (cd a/*; echo x > c); echo y > y; chmod 000 y",
    );
    const told = await store.sync(sandbox, false, NEVER);
    assert.equal(told.length, 3, told.join("\n"));
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), { "/text": "text" });
    await sh("chmod 644 y; echo text again > text");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), { "/text": "text again\n", "/y": "y\n" });
  });

  test("sync: a directory that cannot be read → no memory is deleted", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    await change("/dir/a", "kept");
    await store.fill(sandbox);
    await sh("chmod 000 dir; echo new > new");
    assert.match((await store.sync(sandbox, false, NEVER)).join(), /could be listed/);
    assert.deepEqual(await memories(), { "/dir/a": "kept", "/new": "new\n" });
    await sh("chmod 755 dir; rm dir/a");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), { "/new": "new\n" });
  });

  test("sync: another process with the same disk → it continues from the stored base", async (t) => {
    const { store, again, sandbox, sh, change, memories, versions } = await testMount(t);
    await change("/a", "base");
    await change("/b", "base");
    await store.fill(sandbox);
    await sh("echo late > a; rm b; echo more > c");
    await change("/d", "there");
    const next = again();
    assert.deepEqual(await next.sync(sandbox, true, NEVER), []);
    assert.deepEqual(await memories(), { "/a": "late\n", "/c": "more\n", "/d": "there" });
    assert.equal(await sh("cat d"), "there");
    const count = await versions();
    await again().sync(sandbox, true, NEVER);
    assert.equal(await versions(), count);
  });

  test("sync: the lease is lost → LeaseLost, and no version is made", async (t) => {
    const { db, lease, store, sandbox, sh, memories } = await testMount(t);
    await store.fill(sandbox);
    await sh("echo late > a");
    await db.write.query({
      text: "update sessions set lease_epoch = lease_epoch + 1 where id = $1",
      values: [lease.sessionId],
    });
    await assert.rejects(store.sync(sandbox, false, NEVER), LeaseLost);
    assert.deepEqual(await memories(), {});
  });

  test("sync: the sandbox has ended → nothing is stored, and no memory is deleted", async (t) => {
    const { store, sandbox, sh, change, memories } = await testMount(t);
    await change("/a", "base");
    await store.fill(sandbox);
    await sh("echo late > b");
    await sandbox.close();
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    assert.deepEqual(await memories(), { "/a": "base" }, "and removes nothing");
  });

  test("fill and sync: 120 memories of 30 kB → written, changed and deleted in batches", async (t) => {
    const { db, storeId, store, sandbox, sh, memories } = await testMount(t);
    await db.write.query({
      text: `insert into memories (id, memory_store_id, version_id, path, content, content_sha256, size_bytes)
        select gen_random_uuid(), $1, gen_random_uuid(), '/d' || n % 7 || '/n' || n, body,
          encode(sha256(body::bytea), 'hex'), length(body)
        from generate_series(1, 120) as n, lateral (select repeat('x', 30000) || n as body) as made`,
      values: [storeId],
    });
    assert.equal(await store.fill(sandbox), null);
    assert.equal((await sh("find . -type f | wc -l")).trim(), "120");
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    await sh("for f in $(find . -type f); do echo more >> $f; done");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    const contents = Object.values(await memories());
    assert.equal(contents.length, 120);
    assert.ok(contents.every((content) => /^x{30000}\d+more\n$/.test(content)));
    await sh("rm -r d*");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), {});
  });

  test("sync: more files than one batch → all become memories", async (t) => {
    const { store, sandbox, sh, memories } = await testMount(t);
    await sh("i=0; while [ $i -lt 230 ]; do i=$((i+1)); echo $i > f$i; done");
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    const found = await memories();
    assert.deepEqual([Object.keys(found).length, found["/f230"]], [230, "230\n"]);
    await sh("rm f1; for i in $(seq 2 130); do echo changed > f$i; done");
    assert.deepEqual(await store.sync(sandbox, true, NEVER), []);
    const then = await memories();
    assert.deepEqual([Object.keys(then).length, then["/f130"], then["/f131"]], [229, "changed\n", "131\n"]);
  });

  test("sync: interrupted while a command hangs → ends soon, and the next sync continues", async (t) => {
    const { store, sandbox, sh, memories } = await testMount(t);
    await sh("echo kept > a");
    for (const stopped of ["find", "dd"]) {
      const begun = Promise.withResolvers<void>();
      const run: Sandbox["run"] = (command) => {
        if (!command.script.includes(stopped)) return sandbox.run(command);
        begun.resolve();
        return sandbox.run({ ...command, script: "kill -STOP $$; echo" });
      };
      const interrupted = new AbortController();
      const began = performance.now();
      const looking = store.sync({ ...allButRun(sandbox), run }, false, interrupted.signal);
      await begun.promise;
      interrupted.abort();
      assert.deepEqual(await looking, []);
      assert.ok(performance.now() - began < 15_000);
    }
    assert.deepEqual(await memories(), {});
    assert.deepEqual(await store.sync(sandbox, false, NEVER), []);
    assert.deepEqual(await memories(), { "/a": "kept\n" });
  });
});

/** Returns the methods of a sandbox other than `run`. */
function allButRun(sandbox: Sandbox): Omit<Sandbox, "run"> {
  const { id, closed } = sandbox;
  return {
    id,
    closed,
    placeFile: (file) => sandbox.placeFile(file),
    removeFile: (target) => sandbox.removeFile(target),
    mountSnapshot: async () => false,
    unmountSnapshot: async () => false,
    isUntouched: async () => false,
    connect: (port) => sandbox.connect(port),
    setEgress: (policy) => sandbox.setEgress(policy),
    processes: () => sandbox.processes(),
    terminate: (grace) => sandbox.terminate(grace),
    close: () => sandbox.close(),
  };
}

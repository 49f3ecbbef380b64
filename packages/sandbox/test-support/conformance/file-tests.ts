import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  chmod,
  mkdir,
  readFile as readHostFile,
  symlink,
  writeFile as writeHostFile,
} from "node:fs/promises";
import { readFile, writeFile } from "../../src/inside/files.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Tests of files that are placed, read and written. */
export function fileTests(suite: Suite): void {
  conformanceTest(suite, "files: those of the spec are mounted read-only", async ({ directory, open }) => {
    const source = `${directory}/secret name`;
    await writeHostFile(source, "content", { mode: 0o600 });
    const targets = ["/mnt/session/uploads/a/b.txt", "/data/in/c.txt", "/elsewhere/d.txt", "/tmp/e.txt"];
    const sandbox = await open({ files: targets.map((target) => ({ source, target })) });
    for (const target of targets) {
      assert.equal(await ok(sandbox, `cat ${target}`), "content", target);
      assert.notEqual((await sh(sandbox, `echo x >${target}`)).exitCode, 0, target);
    }
    assert.notEqual((await sh(sandbox, "rm -f /mnt/session/uploads/a/b.txt")).exitCode, 0);
    assert.notEqual((await sh(sandbox, "touch /mnt/session/uploads/new")).exitCode, 0);
  });

  conformanceTest(
    suite,
    "take: a directory of a closed sandbox's disk becomes one that others mount, with programs on the path",
    async ({ subject, directory, spec, open }) => {
      const { engine } = subject;
      if (engine.takeDirectory === undefined) return;
      const builder = spec({ disk: `${directory}/builder` });
      const building = await open(builder);
      const program = "#!/bin/sh\necho made $1\n";
      await ok(building, "mkdir -p /data/tree/bin; cat >/data/tree/bin/made; chmod 755 /data/tree/bin/made", {
        stdin: Buffer.from(program),
      });
      await building.close();
      const [taken, links] = [`${directory}/taken`, `${directory}/links`];
      const { signal } = new AbortController();
      assert.equal(await engine.takeDirectory(builder.disk, "data/tree", taken, signal), true);
      assert.equal(await readHostFile(`${taken}/bin/made`, "utf8"), program);
      await mkdir(links);
      await chmod(directory, 0o755);
      await symlink("/opt/runtimes/bin/made", `${links}/made`);
      const directories = [
        { source: taken, target: "/opt/runtimes" },
        { source: links, target: "/mnt/session/bin" },
      ];
      const sandbox = await open({ directories });
      assert.equal(await ok(sandbox, "made here"), "made here");
      assert.equal(await ok(sandbox, "made there", { shell: "main" }), "made there");
      assert.notEqual((await sh(sandbox, "echo >/opt/runtimes/bin/made")).exitCode, 0);
      await assert.rejects(engine.takeDirectory(builder.disk, "data/missing", `${directory}/other`, signal));
    },
  );

  conformanceTest(suite, "a directory is untouched until something is put into it", async ({ open }) => {
    const outputs = "/mnt/session/outputs";
    const sandbox = await open();
    await ok(sandbox, `ls -a ${outputs}; touch -a ${outputs}`);
    assert.equal(await sandbox.isUntouched(outputs), true);
    for (const script of [
      `echo x >${outputs}/a && rm ${outputs}/a`,
      `touch -d @$(stat -c %W ${outputs}) ${outputs}`,
      `mkdir /tmp/from && touch -d @0 /tmp/from && cp -a /tmp/from/. ${outputs}/`,
    ]) {
      await ok(sandbox, script);
      assert.equal(await sandbox.isUntouched(outputs), false, script);
    }
    await sandbox.close();
    assert.equal(await sandbox.isUntouched(outputs), false);
  });

  conformanceTest(
    suite,
    "files: directories of the spec are mounted read-only",
    async ({ directory, open }) => {
      const [one, two] = [`${directory}/tools/one`, `${directory}/tools/two`];
      await mkdir(`${one}/sub`, { recursive: true });
      await mkdir(two);
      await writeHostFile(`${one}/sub/run.sh`, "#!/bin/sh\necho ran\n", { mode: 0o555 });
      await writeHostFile(`${one}/read.md`, "text", { mode: 0o444 });
      await symlink("/etc/hostname", `${two}/outward`);
      const directories = [
        { source: one, target: "/mnt/tools/one" },
        { source: two, target: "/mnt/tools/two" },
      ];
      const sandbox = await open({ directories });
      assert.equal(await ok(sandbox, "/mnt/tools/one/sub/run.sh; cat /mnt/tools/one/read.md"), "ran\ntext");
      assert.equal(await ok(sandbox, "ls /mnt/tools"), "one\ntwo");
      assert.equal(await ok(sandbox, "cat /mnt/tools/two/outward"), "session");
      for (const script of [
        "echo x >/mnt/tools/one/read.md",
        "chmod 777 /mnt/tools/one/read.md",
        "touch /mnt/tools/one/new",
        "rm -f /mnt/tools/one/read.md",
        "mv /mnt/tools/one/sub /mnt/tools/one/other",
        "mkdir /mnt/tools/three",
        "mount -o remount,rw /mnt/tools/one",
        "umount /mnt/tools/one",
      ]) {
        assert.notEqual((await sh(sandbox, script)).exitCode, 0, script);
      }
      assert.equal(await ok(sandbox, "ls /mnt/tools/one"), "read.md\nsub");
    },
  );

  conformanceTest(
    suite,
    "no directory is mounted where the agent writes or the system lies",
    async ({ directory, open }) => {
      for (const target of [
        "/data/tools",
        "/home/agent/x",
        "/tmp/x",
        "/mnt/session/uploads/x",
        "/usr/x",
        "x",
      ]) {
        await assert.rejects(
          open({ directories: [{ source: directory, target }] }),
          { name: "SandboxError" },
          target,
        );
      }
    },
  );

  conformanceTest(suite, "files: can be placed while commands run", async ({ directory, open }) => {
    const sandbox = await open();
    const source = `${directory}/upload`;
    const bytes = randomBytes(300_000);
    await writeHostFile(source, bytes, { mode: 0o600 });
    const up = Promise.withResolvers<void>();
    const waiting = ok(
      sandbox,
      "echo up; until [ -e /mnt/session/uploads/late ]; do sleep 0.05; done; wc -c </mnt/session/uploads/late",
      {
        onOutput: () => up.resolve(),
      },
    );
    await up.promise;
    assert.equal(await sandbox.placeFile({ source, target: "/mnt/session/uploads/late" }), true);
    assert.equal(await waiting, "up\n300000");
    assert.equal(await sandbox.placeFile({ source, target: "/data/sub dir/it's" }), true);
    assert.equal(await ok(sandbox, `stat -c %a "/data/sub dir/it's"`), "444");
    const read = await readFile(sandbox, "/data/sub dir/it's", { maxBytes: 1_000_000 });
    assert.deepEqual(read.ok && Buffer.from(read.bytes), bytes);
    assert.equal(await sandbox.placeFile({ source, target: "/elsewhere/x" }), false);
    assert.equal(await sandbox.placeFile({ source, target: "/usr/x" }), false);
    assert.equal(await sandbox.placeFile({ source, target: "/mnt/session/uploads/../../../etc/x" }), false);
    await assert.rejects(sandbox.placeFile({ source: `${directory}/absent`, target: "/data/y" }), {
      name: "SandboxError",
    });
    await assert.rejects(
      sandbox.placeFile({ source: `${directory}/absent`, target: "/mnt/session/uploads/y" }),
      {
        name: "SandboxError",
      },
    );
  });

  conformanceTest(suite, "files: can be removed while commands run", async ({ directory, open }) => {
    const source = `${directory}/source`;
    await writeHostFile(source, "content");
    const opened = ["/mnt/session/uploads/a/b", "/data/in/c d", "/tmp/e", "/elsewhere/f"];
    const sandbox = await open({ files: opened.map((target) => ({ source, target })) });
    const late = ["/mnt/session/uploads/late", "/data/it's", "/mnt/session/uploads/a/other"];
    for (const target of late) assert.equal(await sandbox.placeFile({ source, target }), true);
    const up = Promise.withResolvers<void>();
    const gone = [
      "/mnt/session/uploads/a/b",
      "/data/in/c d",
      "/tmp/e",
      "/mnt/session/uploads/late",
      "/data/it's",
    ];
    const remaining = gone.map((target) => `[ -e "${target}" ]`).join(" || ");
    const waiting = ok(sandbox, `echo up; while ${remaining}; do sleep 0.05; done; echo gone`, {
      onOutput: () => up.resolve(),
    });
    await up.promise;
    for (const target of gone) assert.equal(await sandbox.removeFile(target), true, target);
    assert.equal(await waiting, "up\ngone");
    assert.equal(await ok(sandbox, "ls /mnt/session/uploads/a"), "other", "its neighbours stay");
    assert.equal(await sandbox.removeFile("/mnt/session/uploads/a/other"), true);
    assert.equal(await ok(sandbox, "ls -A /mnt/session/uploads"), "", "no empty directory is left");
    assert.equal(await sandbox.removeFile("/elsewhere/f"), false, "a mount needs a fresh opening");
    assert.equal(await ok(sandbox, "cat /elsewhere/f"), "content");
    for (const target of ["/data/absent/x", "/mnt/session/uploads/absent/x", "/nowhere/x"])
      assert.equal(await sandbox.removeFile(target), true, target);
    assert.equal(await sandbox.placeFile({ source, target: "/data/it's" }), true);
    assert.equal(await ok(sandbox, `cat "/data/it's"`), "content", "the same again at the same place");
    await ok(sandbox, "mkdir -p /data/own && echo mine >/data/own/x");
    assert.equal(await sandbox.removeFile("/data/own"), true);
    assert.equal(await sandbox.removeFile("/mnt/session/uploads"), true);
    assert.equal(await sandbox.removeFile("/mnt/session/uploads/../../../etc/passwd"), true);
    assert.equal(await ok(sandbox, "cat /data/own/x; [ -s /etc/passwd ] && echo there"), "mine\nthere");
    await sandbox.close();
    assert.equal(await sandbox.removeFile("/data/it's"), false);
  });

  conformanceTest(
    suite,
    "a link of the agent leads no file of the host astray",
    async ({ directory, open }) => {
      const sandbox = await open();
      const [source, outside] = [`${directory}/source`, `${directory}/outside`];
      await writeHostFile(source, "new");
      await mkdir(outside);
      await chmod(outside, 0o777);
      await writeHostFile(`${outside}/victim`, "old", { mode: 0o666 });
      await ok(sandbox, `ln -s ${outside} /data/link; ln -s ${outside}/victim /data/file`);
      await sandbox.placeFile({ source, target: "/data/link/victim" });
      await sandbox.placeFile({ source, target: "/data/file" });
      await ok(sandbox, `rm -rf /data/file; ln -s ${outside}/victim /data/file`);
      await sandbox.removeFile("/data/link/victim");
      await sandbox.removeFile("/data/file");
      await symlink("x", `${outside}/unused`);
      const { readFileSync } = await import("node:fs");
      assert.equal(readFileSync(`${outside}/victim`, "utf8"), "old");
    },
  );

  conformanceTest(suite, "files: read and written with exact bytes", async ({ open }) => {
    const sandbox = await open();
    const bytes = randomBytes(400_000);
    assert.deepEqual(await writeFile(sandbox, "/data/new/deep/file", bytes), { ok: true });
    const read = await readFile(sandbox, "/data/new/deep/file", { maxBytes: 400_000 });
    assert.deepEqual(read.ok && Buffer.from(read.bytes), bytes);
    assert.deepEqual(await writeFile(sandbox, "/data/-n $(id)\n'", new Uint8Array()), { ok: true });
    assert.deepEqual(await readFile(sandbox, "/data/-n $(id)\n'", { maxBytes: 0 }), {
      ok: true,
      bytes: Buffer.alloc(0),
    });
    await ok(sandbox, "chmod 750 /data/new/deep/file; ln -s new/deep/file /data/soft");
    assert.deepEqual(await writeFile(sandbox, "/data/soft", Buffer.from("x")), { ok: true });
    assert.equal(await ok(sandbox, "stat -c %a /data/new/deep/file; cat /data/new/deep/file"), "750\nx");
  });

  conformanceTest(suite, "files: reading or writing fails → the reason is returned", async ({ open }) => {
    const sandbox = await open();
    await ok(
      sandbox,
      "mkdir /data/dir; echo long >/data/long; echo >/data/mute; chmod 0 /data/mute; mkfifo /data/pipe; mkdir -m 0 /data/shut",
    );
    const reads = {
      "/data/none": "not_found",
      "/data/dir": "is_directory",
      "/data/mute": "permission",
      "/data/pipe": "not_a_file",
      "/data/long": "too_large",
      "/data/shut/x": "permission",
    };
    for (const [path, reason] of Object.entries(reads))
      assert.deepEqual(await readFile(sandbox, path, { maxBytes: 4 }), { ok: false, reason }, path);
    const writes = {
      "/data/dir": "is_directory",
      "/usr/bin/x": "permission",
      "/data/pipe": "not_a_file",
      "/data/long/x": "permission",
      "/etc/passwd": "permission",
    };
    for (const [path, reason] of Object.entries(writes))
      assert.deepEqual(await writeFile(sandbox, path, Buffer.from("x")), { ok: false, reason }, path);
    await sandbox.close();
    assert.deepEqual(await readFile(sandbox, "/data/long", { maxBytes: 4 }), { ok: false, reason: "gone" });
  });
}

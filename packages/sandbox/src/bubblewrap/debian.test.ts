// Subject: sandboxes with a Debian root filesystem (system-layers/).
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { createEgress } from "@berth/egress";
import { notTodays } from "../../../../tests/effort/effort.ts";
import { commandTests } from "../../test-support/conformance/command-tests.ts";
import { conformanceTest, ok, type Subject, type Suite } from "../../test-support/conformance/context.ts";
import { fileTests } from "../../test-support/conformance/file-tests.ts";
import { isolationTests } from "../../test-support/conformance/isolation-tests.ts";
import { pathTests } from "../../test-support/conformance/path-tests.ts";
import { probeTests } from "../../test-support/conformance/probe-tests.ts";
import { testRootFilesystem } from "../../test-support/system.ts";
import { WORKSPACE_PROGRAMS } from "../workspace/repository/repository-environment.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";
import { takeChanges } from "./system-layers/take-changes.ts";

const { path: rootFilesystem, skip } = await testRootFilesystem();

describe("bubblewrap keeps its promises on a Debian of its own", { skip }, () => {
  let subject: Subject | null = null;
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), "berth-debian-"));
    const egress = await createEgress();
    const instance = `debian-${process.pid}`;
    const stateDir = join(directory, "state");
    const engine = await createBubblewrapEngine({
      instance,
      stateDir,
      egress,
      certificates: [],
      programs: WORKSPACE_PROGRAMS,
    });
    subject = {
      engine,
      uid: 71_500,
      system: { rootFilesystem },
      async close() {
        await engine.close();
        await egress.close();
        await rm(directory, { recursive: true });
      },
    };
  });
  after(() => subject?.close());
  const suite: Suite = {
    skips: {},
    notInSample: (place) => notTodays("engines", place, 2),
    defined: 0,
    subject() {
      if (!subject) throw new Error("the engine was not made");
      return subject;
    },
  };
  for (const tests of [isolationTests, probeTests, fileTests, commandTests, pathTests]) tests(suite);

  conformanceTest(
    suite,
    "debian: the tools are there, and nothing of the host's system is",
    async ({ open }) => {
      const sandbox = await open();
      const tools =
        "git git-lfs gh rg python python3 pip3 node npm npx corepack curl wget jq ssh less patch ps ss lsof xz zip unzip file tree rsync perl script make cc c++ autoreconf libtoolize cmake ninja gdb strace pkg-config patchelf sqlite3 certutil vi nano";
      for (const tool of tools.split(" ")) await ok(sandbox, `command -v ${tool}`);
      assert.match(await ok(sandbox, "cat /etc/os-release"), /VERSION_CODENAME=trixie/);
      assert.match(
        await ok(sandbox, "python3 --version; node --version; npm --version; corepack --version"),
        /^Python 3\.13\.\d+\nv24\.\d+\.\d+\n11\.\d+\.\d+\n0\.\d+\.\d+$/,
      );
      assert.equal(
        await ok(sandbox, "TZ=America/New_York date -d @0 +%H; LC_ALL=en_US.UTF-8 locale charmap"),
        "19\nUTF-8",
      );
      assert.equal(
        await ok(sandbox, "id -un; id -u; getent passwd agent | cut -d: -f6"),
        "agent\n1000\n/home/agent",
      );
      assert.equal(
        await ok(sandbox, "find / -xdev -perm -4000 2>/dev/null; git config --system safe.bareRepository"),
        "explicit",
      );
      assert.match(await ok(sandbox, "cat /etc/hostname /etc/resolv.conf"), /^session\nnameserver 127/);
    },
  );

  conformanceTest(
    suite,
    "debian: the agent builds programs, and installs Python and npm packages for itself",
    async ({ open }) => {
      const sandbox = await open();
      const compiled = `cd /data && mkdir c && cd c && echo 'int main() { return 7; }' >main.c
        printf 'main: main.c\\n\\tcc -o main main.c\\n' >Makefile && make -s && { ./main; echo $?; }`;
      assert.equal(await ok(sandbox, compiled), "7");
      const sanitized = `cd /data/c && echo '#include <stdlib.h>
int main() { char *a = malloc(1); free(a); return *a; }' >freed.c && cc -fsanitize=address,undefined -o freed freed.c && ASAN_OPTIONS=detect_leaks=0 ./freed 2>&1 | grep -o heap-use-after-free | head -1`;
      assert.equal(await ok(sandbox, sanitized), "heap-use-after-free");
      const configured = `cd /data && mkdir autotools && cd autotools && echo 'int seven(void) { return 7; }' >seven.c
        echo 'int seven(void); int main(void) { return seven(); }' >main.c
        printf '%s\\n' 'AC_INIT([main],[1])' 'AM_INIT_AUTOMAKE([foreign])' 'AC_PROG_CC' 'AM_PROG_AR' 'LT_INIT' 'AC_CONFIG_FILES([Makefile])' AC_OUTPUT >configure.ac
        printf '%s\\n' 'lib_LTLIBRARIES = libseven.la' 'libseven_la_SOURCES = seven.c' 'bin_PROGRAMS = main' 'main_SOURCES = main.c' 'main_LDADD = libseven.la' >Makefile.am
        { autoreconf --install && ./configure --quiet && make -s; } >log 2>&1 || tail log; ./main; echo $?`;
      assert.equal(await ok(sandbox, configured), "7");
      const python = `cd /data && mkdir py && cd py && echo 'def main(): print("from pip")' >tool.py
        echo '#include <Python.h>
          static struct PyModuleDef m = {PyModuleDef_HEAD_INIT, "native"};
          PyMODINIT_FUNC PyInit_native(void) { return PyModule_Create(&m); }' >native.c
        echo 'from setuptools import Extension, setup
setup(name="tool", version="1", py_modules=["tool"], ext_modules=[Extension("native", ["native.c"])],
  entry_points={"console_scripts": ["pip-tool=tool:main"]})' >setup.py
        pip install --quiet --no-index --no-build-isolation --use-pep517 . && python3 -c 'import native' && pip-tool`;
      assert.equal(await ok(sandbox, python), "from pip");
      assert.equal(
        await ok(sandbox, "python3 -m venv /data/venv && /data/venv/bin/python -c 'print(1)'"),
        "1",
      );
      const npm = `cd /data && mkdir js && cd js && printf '#!/usr/bin/env node\\nconsole.log("from npm")\\n' >tool.js
        echo '{"name": "tool", "version": "1.0.0", "bin": {"npm-tool": "tool.js"}}' >package.json
        npm install --global --offline --silent . && npm-tool`;
      assert.equal(await ok(sandbox, npm), "from npm");
    },
  );

  conformanceTest(suite, "debian: npx, npm exec and npm -g work in a new session", async ({ open }) => {
    const sandbox = await open();
    assert.match(await ok(sandbox, "npm -g ls"), /\(empty\)/);
    await ok(
      sandbox,
      `cd /data && mkdir js && cd js && printf '#!/usr/bin/env node\\nconsole.log("from npm")\\n' >tool.js
      echo '{"name": "tool", "version": "1.0.0", "bin": {"npm-tool": "tool.js"}}' >package.json`,
    );
    for (const run of ["npx", "npm exec"])
      assert.equal(
        await ok(sandbox, `cd /tmp && ${run} --offline --yes --package=/data/js -- npm-tool`),
        "from npm",
      );
  });

  conformanceTest(
    suite,
    "debian: places that the agent writes may lie in what the system has",
    async ({ open, directory }) => {
      await chmod(directory, 0o755);
      const sandbox = await open({ writable: ["/opt/work", "/var/lib/work"] });
      await ok(
        sandbox,
        "echo 1 >/opt/work/a && echo 2 >/var/lib/work/b && ! touch /opt/other /var/lib/other",
      );
      await sandbox.close();
      const again = await open({ writable: ["/opt/work", "/var/lib/work"] });
      assert.equal(await ok(again, "cat /opt/work/a /var/lib/work/b"), "1\n2");
    },
  );

  conformanceTest(
    suite,
    "debian: the scripts of packages may lock open files, and others over a system may not",
    async ({ open, directory }) => {
      const { system } = suite.subject();
      assert.ok(system);
      const lock = `python3 -c 'import fcntl, struct
try:
  fcntl.fcntl(open("/etc/lock", "w"), 38, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
  print("locked")
except OSError as error:
  print(error.strerror)'`;
      for (const [packages, expected] of [
        [{ packages: true as const }, "locked"],
        [{}, "Invalid argument"],
      ] as const) {
        const disk = join(directory, expected);
        const root = await open({ disk, system: { ...system, changes: true, ...packages }, uid: 400_000 });
        assert.equal(await ok(root, lock), expected);
        await root.close();
      }
    },
  );

  conformanceTest(
    suite,
    "debian: root over a system has that and nothing else",
    async ({ open, directory }) => {
      const disk = join(directory, "changing");
      const { system } = suite.subject();
      assert.ok(system);
      const root = await open({ disk, system: { ...system, changes: true }, uid: 400_000 });
      const script = `id -u; touch /usr/bin/made /etc/made /opt/made && rm /usr/bin/jq && chown 7:7 /etc/made && touch /run/made /run/lock/made && stat -c %u /etc/made`;
      assert.equal(await ok(root, script), "0\n7");
      const refused = [
        "unshare --user true",
        "unshare --mount true",
        "unshare --net true",
        "chroot / true",
        "mknod /tmp/device b 254 0",
        "touch /proc/sys/kernel/core_pattern",
        "cat /proc/kcore",
        "dmesg",
        "echo x >/opt/berth/bin/rg",
        "date -s 2001-01-01",
        "perl -e 'exit(syscall(165, 0, 0, 0, 0, 0) < 0)'",
        `ls ${directory}`,
      ];
      for (const attempt of refused)
        assert.equal(await ok(root, `(${attempt}) >/dev/null 2>&1; test $? -ne 0 && echo no`), "no", attempt);
      assert.match(await ok(root, "grep CapEff /proc/self/status"), /00000000800000fb$/);
      await root.close();
      const layer = join(directory, "layer");
      await takeChanges(disk, layer, new AbortController().signal);
      const agent = await open({ system: { ...system, layers: [layer] } });
      assert.equal(
        await ok(agent, "ls /usr/bin/made /etc/made /opt/made; command -v jq || echo gone"),
        "/etc/made\n/opt/made\n/usr/bin/made\ngone",
      );
      const plain = await open();
      assert.equal(await ok(plain, "ls /etc/made 2>/dev/null; command -v jq"), "/usr/bin/jq");
    },
  );
});

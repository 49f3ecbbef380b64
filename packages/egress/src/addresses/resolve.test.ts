import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runInside } from "../../test-support/run-inside.ts";
import { createEgress } from "../egress.ts";
import { type HostName, parseHostName } from "../names/host-name.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import { addressesInHostsFile } from "./resolve.ts";

const name = (text: string): HostName => parseHostName(text) ?? assert.fail(text);

test("hosts file: the addresses of a name, in file order", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "berth-hosts-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "hosts");
  const lines = [
    "# comment git",
    "10.0.0.1\tgit.internal Git # other",
    "fd00::1 git",
    "not-an-address git",
    "git 10.0.0.9",
  ];
  await writeFile(file, lines.join("\n"));
  assert.deepEqual(await addressesInHostsFile(name("git"), file), ["10.0.0.1", "fd00::1"]);
  assert.deepEqual(await addressesInHostsFile(name("git.internal"), file), ["10.0.0.1"]);
  assert.deepEqual(await addressesInHostsFile(name("other"), file), []);
  assert.deepEqual(await addressesInHostsFile(name("git"), join(directory, "missing")), []);
});

test("resolveBySystem: search domains of the machine are not appended", async (t) => {
  const denied: EgressDenied[] = [];
  const egress = await createEgress({ poolSize: 0 });
  t.after(() => egress.close());
  const machine = await egress.open({
    policy: { mode: "limited", hosts: ["*.search.example", "whole.example"] },
    onDenied: (one) => denied.push(one),
  });
  const program = `
    const { resolveBySystem } = await import("${import.meta.resolve("./resolve.ts")}");
    for (const name of ["metadata", "api.other.example", "whole.example"])
      console.log(name, (await resolveBySystem(name).catch(() => [])).length);`;
  const { stdout, stderr } = await runInside(
    machine,
    `echo 'search search.example' >>/etc/resolv.conf; echo 'options ndots:5' >>/etc/resolv.conf
getent hosts metadata >/dev/null && echo searched
${process.execPath} --input-type=module --eval '${program}'`,
  );
  assert.equal(stdout, "searched\nmetadata 0\napi.other.example 0\nwhole.example 1\n", stderr);
  assert.deepEqual([...new Set(denied.map(({ host }) => host))].sort(), ["api.other.example", "metadata"]);
});

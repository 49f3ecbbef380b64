import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runInside } from "../../test-support/run-inside.ts";
import { createEgress } from "../egress.ts";
import { type HostName, parseHostName } from "../names/host-name.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import { addressesInHostsFile, createResolve } from "./resolve.ts";

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

test("names that a server leaves unanswered do not hold up others", async (t) => {
  const server = createSocket("udp4");
  t.after(() => server.close());
  const asked = new Set<string>();
  server.on("message", (query, { port, address }) => {
    const label = query.subarray(13, 13 + (query[12] ?? 0)).toString();
    asked.add(label);
    if (label.startsWith("silent")) return;
    const question = query.subarray(12, 12 + "quick.example".length + 2 + 4);
    const isA = question.readUInt16BE(question.length - 4) === 1;
    const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
    server.send(Buffer.concat([head, question, ...(isA ? [answer] : [])]), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const resolve = createResolve([`127.0.0.1:${server.address().port}`]);
  const silent = Array.from({ length: 40 }, (_, n) => resolve(name(`silent${n}.example`)));
  let answered = 0;
  for (const one of silent) void one.then(() => (answered += 1));
  assert.deepEqual(await resolve(name("quick.example")), ["192.0.2.7"]);
  assert.equal(answered, 0);
  assert.deepEqual((await Promise.all(silent)).flat(), []);
  assert.equal(asked.size, 41);
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

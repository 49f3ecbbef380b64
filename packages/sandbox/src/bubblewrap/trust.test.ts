// Subject: what programs in a sandbox trust (inside/etc-files.ts), with the programs themselves.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createEgress, type Egress } from "@berth/egress";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { ok, sh } from "../../test-support/conformance/context.ts";
import { testRootFilesystem } from "../../test-support/system.ts";
import type { Sandbox, SandboxEngine } from "../interface/sandbox.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";

const HOST = "app.localhost";
const root = process.getuid?.() === 0;

let directory: string;
let server: Server;
let egress: Egress;
let engine: SandboxEngine;
let url: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "berth-trust-"));
  const { caFile, key, certificate } = await makeCertificates(directory, [HOST]);
  server = createServer({ key, cert: certificate }, (_, response) => response.end("<p>trusted</p>"));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `${HOST}:${(server.address() as AddressInfo).port}`;
  url = `https://${host}/`;
  egress = await createEgress({ allowPrivate: [host], poolSize: 0 });
  engine = await createBubblewrapEngine({
    instance: `trust-${process.pid}`,
    stateDir: join(directory, "state"),
    egress,
    certificates: [readFileSync(caFile, "utf8")],
  });
});
after(async () => {
  await engine.close();
  await egress.close();
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

/** How each program reads the page at `$URL`, by its defaults. */
const PROGRAMS = [
  { name: "curl", script: 'curl -sS "$URL"' },
  { name: "node", script: `node -e 'fetch(process.env.URL).then(async (r) => console.log(await r.text()))'` },
  {
    name: "python3",
    script: `python3 -c 'import os, urllib.request as u; print(u.urlopen(os.environ["URL"]).read().decode())'`,
  },
  {
    name: "java",
    script: `cat >Get.java <<'EOF'
public class Get {
  public static void main(String[] a) throws Exception {
    try (var in = new java.net.URL(System.getenv("URL")).openStream()) { in.transferTo(System.out); }
  }
}
EOF
java Get.java`,
  },
  { name: "chromium", script: 'chromium --headless --disable-gpu --dump-dom "$URL" 2>/dev/null' },
] as const;

const own = await testRootFilesystem();
const systems = [
  { name: "the host's system", skip: false as string | false, system: undefined },
  {
    name: "a Debian of its own",
    skip: own.skip,
    system: { rootFilesystem: own.path },
  },
];

for (const { name, skip, system } of systems) {
  describe(`trust with ${name}`, { skip }, () => {
    let sandbox: Sandbox;
    before(async () => {
      sandbox = await engine.open({
        id: `trust_${system === undefined ? "host" : "own"}`,
        disk: join(directory, system === undefined ? "host" : "own"),
        uid: root ? 71_700 : (process.getuid?.() ?? 0),
        limits: { memoryBytes: 2 * 1024 ** 3, pids: 512, cpus: 2, diskBytes: null },
        egress: { mode: "limited", hosts: [new URL(url).host] },
        files: [],
        writable: [],
        ...(system === undefined ? {} : { system }),
      });
    });
    after(() => sandbox.close());

    for (const program of PROGRAMS) {
      test(`${program.name} trusts the authorities of the sandbox`, async (t) => {
        const { exitCode } = await sh(sandbox, `command -v ${program.name}`);
        if (exitCode !== 0) return t.skip("it is not installed");
        const text = await ok(sandbox, `cd /tmp; ${program.script}`, { environment: { URL: url } });
        assert.match(text, /<p>trusted<\/p>/);
      });
    }
  });
}

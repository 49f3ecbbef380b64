// Subject: `sessions cp` from a service whose listing was forged.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { berth } from "../../../test-support/berth.ts";

const FORGED = ["../../evil", "..", ".", "", "a/../../evil", "/tmp/evil"];
const ENTRY = { size_bytes: 4, mode: "0644", modified_at: "2026-01-01T00:00:00.000Z", target: null };

/** Starts a service whose `/data/out` has `sub/good`, and names that lead elsewhere. */
async function startForger() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://forger");
    if (pathname.endsWith("/content")) return void response.end("text");
    const forged = FORGED.map((name) => ({ ...ENTRY, type: "file", name, path: `/data/out/${name}` }));
    const links = FORGED.map((name) => ({ ...ENTRY, type: "directory", name, path: "/data/out" }));
    const sub = { ...ENTRY, type: "directory", name: "sub", path: "/data/out" };
    const good = { ...ENTRY, type: "file", name: "good", path: "/data/out/good" };
    const data = searchParams.get("path") === "/data/out" ? [...forged, ...links, sub] : [good];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data, has_more: false, next_page: null, first_id: null, last_id: null }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("sessions cp: nothing is written outside of the destination, and what was left out is named", async (t) => {
  const server = await startForger();
  const dir = await mkdtemp(join(tmpdir(), "berth-copy-"));
  t.after(async () => {
    server.close();
    await rm(dir, { recursive: true, force: true });
  });
  const env = { BERTH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, BERTH_TOKEN: "x" };
  const session = `sess_${"0".repeat(22)}`;
  const copied = await berth(["sessions", "cp", session, "out", "in/here"], { env, cwd: dir });
  assert.equal(copied.code, 1, copied.stderr);
  assert.equal(copied.stderr.match(/^left out: /gm)?.length, 2 * FORGED.length, copied.stderr);
  assert.deepEqual((await readdir(dir, { recursive: true })).toSorted(), [
    "in",
    "in/here",
    "in/here/sub",
    "in/here/sub/good",
  ]);
});

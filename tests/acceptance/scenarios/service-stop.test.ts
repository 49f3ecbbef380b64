import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { globSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { readOrEmpty } from "../harness/read-or-empty.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** A stop that takes longer hangs. */
const HANG_MS = 60_000;

covers(
  ["service-stop"],
  "stop while the sender of a content stalls: it continues after the start",
  async (t) => {
    const berth = await Berth.start();
    t.after(() => rmSync(berth.dataDir, { recursive: true, force: true }));
    const api = await berth.client();
    const content = new Uint8Array(randomBytes(9 * 1_048_576));
    const total = content.length + 1;
    const file = await api.ok("POST", "/files", { filename: "a.bin" });
    const path = `/files/${file.id}/content`;
    const range = `bytes 0-${total - 1}/${total}`;
    const headers = Object.fromEntries(api.headers({ "content-range": range, "content-length": `${total}` }));
    const sending = request(api.address(path), { method: "PUT", headers });
    sending.on("error", () => undefined).write(content);
    const received = async () => (await api.ok("GET", `/files/${file.id}`)).uploaded_bytes;
    await waitUntil(
      async () => (await received()) > 0,
      () => "no bytes are counted",
    );
    assert.equal(await stop(berth), 0);

    const again = await Berth.start({ dataDir: berth.dataDir });
    t.after(() => again.kill("SIGTERM"));
    const later = new Api(again.url, api.token);
    const start = (await later.ok("GET", `/files/${file.id}`)).uploaded_bytes;
    assert.ok(start > 0);
    const whole = new Uint8Array([...content, 1]);
    const rest = await later.call("PUT", path, undefined, {
      raw: whole.subarray(start),
      headers: { "content-range": `bytes ${start}-${total - 1}/${total}` },
    });
    assert.deepEqual(
      [rest.body.status, rest.body.sha256],
      ["ready", createHash("sha256").update(whole).digest("hex")],
    );
  },
);

covers(
  ["service-stop"],
  "stop while the root filesystem is built: no process and no mount is left",
  async (t) => {
    const berth = await Berth.start({ settings: { BERTH_ROOTFS: "debian" } });
    t.after(() => rmSync(berth.dataDir, { recursive: true, force: true }));
    await waitUntil(
      () => globSync(join(berth.dataDir, "rootfs/*.making/etc")).length > 0,
      () => `no build begins: ${berth.log.slice(-1_000)}`,
    );
    assert.equal(await stop(berth), 0);
    const left = () =>
      globSync("/proc/[0-9]*/cmdline").filter((file) => readOrEmpty(file).includes(berth.dataDir));
    await waitUntil(
      () => left().length === 0,
      () => `left: ${left()}`,
    );
    assert.ok(!readFileSync("/proc/mounts", "utf8").includes(berth.dataDir));
    const built = globSync(join(berth.dataDir, "rootfs/*")).filter((path) => !/\.(making|lock)$/.test(path));
    assert.deepEqual(built, []);
  },
  process.getuid?.() !== 0 && "the root filesystem is built by root",
);

async function stop(berth: Berth): Promise<number | null> {
  const hang = setTimeout(() => berth.kill("SIGKILL"), HANG_MS);
  return await berth.kill("SIGTERM").finally(() => clearTimeout(hang));
}

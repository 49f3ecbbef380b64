import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { servicesOf } from "../acceptance/harness/services-of-test.ts";
import { settingsToShare } from "../acceptance/harness/shared-database.ts";
import { isSampled, notTodays } from "../effort/effort.ts";
import { startS3Host } from "../s3-host/s3-host.ts";
import { killAtRequest } from "./kill-at-request.ts";

const MIB = 1_048_576;
/** The ends of the requests: below the minimum size of an S3 part, at parts, and in between. */
const ENDS = [3 * MIB, 12 * MIB, 12.5 * MIB, 20 * MIB];
const SIZE = 20 * MIB;
/** The number of kills of which one is made each time. */
const SAMPLE = isSampled() ? 7 : 3;

test("a service is killed at any request to S3 → another one goes on with the upload, and nothing is orphaned", {
  timeout: 900_000,
}, async (t) => {
  const s3 = await startS3Host();
  t.after(s3.close);
  const start = servicesOf(t);
  const settings = { BERTH_BLOBS: s3.place };
  const staying = await start({ settings });
  const api = await staying.client();
  const shared = { ...settingsToShare(staying), ...settings };
  const content = randomBytes(SIZE);
  const sha256 = createHash("sha256").update(content).digest("hex");
  let kills = 0;
  for (let at = 1, isOver = false; !isOver; at += 1) {
    if (notTodays("crash", at, SAMPLE) !== false && at < 30) continue;
    const dying = await start({ settings: shared });
    const file = await api.ok("POST", "/files", { filename: "a.bin", size_bytes: SIZE });
    const dead = killAtRequest(s3, dying, at);
    const acknowledged = await send(new Api(dying.url, api.token), file, content, 0);
    isOver = acknowledged === SIZE;
    s3.fault = () => false;
    if (isOver) await dying.kill("SIGTERM");
    else {
      kills += 1;
      await dead;
      const { uploaded_bytes: received, status } = await api.ok("GET", `/files/${file.id}`);
      assert.ok(
        received >= acknowledged,
        `${received} of ${acknowledged} acknowledged bytes at request ${at}`,
      );
      if (status === "pending") assert.equal(await send(api, file, content, received), SIZE, `request ${at}`);
    }
    const stored = await api.ok("GET", `/files/${file.id}`);
    assert.deepEqual([stored.status, stored.sha256], ["ready", sha256], `request ${at}`);
    await api.ok("DELETE", `/files/${file.id}`);
  }
  assert.ok(kills > 2, `${kills} kills`);
  assert.deepEqual(s3.keys(), ["berth/store"]);
  // An upload may be left that S3 has begun, but nobody has recorded. The sweep aborts it a day later.
  assert.ok(s3.uploads().length <= 1, `${s3.uploads().length} uploads`);
});

/** Sends the content from an offset. Returns the acknowledged bytes, which are fewer if the service dies. */
async function send(client: Api, file: AnyJson, content: Buffer, from: number): Promise<number> {
  let acknowledged = from;
  for (const end of [...ENDS.filter((one) => one > from), ...(from === SIZE ? [SIZE] : [])]) {
    const part = acknowledged < end ? `${acknowledged}-${end - 1}` : "*";
    const options = {
      raw: new Uint8Array(content.subarray(acknowledged, end)),
      headers: { "content-range": `bytes ${part}/${SIZE}` },
    };
    const sent = await client.call("PUT", `/files/${file.id}/content`, undefined, options).catch(() => null);
    if (sent === null) return acknowledged === SIZE ? from : acknowledged;
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    acknowledged = end;
  }
  return acknowledged;
}

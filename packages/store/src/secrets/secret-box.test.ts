import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { linkSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SecretBox } from "./secret-box.ts";
import { deleteFormerKey, readFormerKey, readSecretKey, replaceSecretKey } from "./secret-key.ts";

const place = { table: "session_resources", row: "0193-row", column: "secret" };

describe("secrets", () => {
  test("seal, then open with the same context → the secret; the envelope does not contain it", () => {
    const box = new SecretBox(randomBytes(32));
    const envelope = box.seal(place, "ghp_canary");
    assert.equal(box.open(place, envelope), "ghp_canary");
    assert.ok(!envelope.includes("canary"));
    assert.notDeepEqual(envelope, box.seal(place, "ghp_canary"), "each has its own nonce");
  });

  test("open: another context, altered or truncated bytes, another key → an error", () => {
    const box = new SecretBox(randomBytes(32));
    const envelope = box.seal(place, "ghp_canary");
    for (const other of [
      { ...place, row: "0193-other" },
      { ...place, table: "files" },
      { ...place, column: "url" },
    ]) {
      assert.throws(() => box.open(other, envelope));
    }
    for (let at = 0; at < envelope.length; at++) {
      const altered = Buffer.from(envelope);
      altered[at] = (altered[at] ?? 0) ^ 1;
      assert.throws(() => box.open(place, altered), `byte ${at}`);
      assert.throws(() => box.open(place, envelope.subarray(0, at)));
    }
    assert.throws(() => new SecretBox(randomBytes(32)).open(place, envelope));
  });

  test("the key file is created once with mode 0600; a file without a key → an error", (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-key-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const key = readSecretKey({ file: null, dataDir });
    assert.deepEqual(readSecretKey({ file: null, dataDir }), key);
    assert.equal(statSync(join(dataDir, "secret.key")).mode & 0o777, 0o600);
    const file = join(dataDir, "short");
    writeFileSync(file, "dG9vIHNob3J0");
    assert.throws(() => readSecretKey({ file, dataDir }), /32 bytes/);
    assert.throws(() => readSecretKey({ file: join(dataDir, "absent"), dataDir }), /ENOENT/);
  });

  test("replaceSecretKey: interrupted anywhere → the former key is kept until it is deleted", (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "berth-key-"));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const place = { file: null, dataDir };
    const first = readSecretKey(place);
    assert.equal(readFormerKey(place), null);
    linkSync(join(dataDir, "secret.key"), join(dataDir, "secret.key.former")); // cut off after the first step
    assert.deepEqual([readSecretKey(place), readFormerKey(place)], [first, first]);
    replaceSecretKey(dataDir);
    const second = readSecretKey(place);
    assert.notDeepEqual(second, first);
    assert.deepEqual(readFormerKey(place), first);
    assert.equal(statSync(join(dataDir, "secret.key")).mode & 0o777, 0o600);
    replaceSecretKey(dataDir);
    assert.deepEqual([readSecretKey(place), readFormerKey(place)], [second, first], "called again");
    deleteFormerKey(dataDir);
    assert.deepEqual([readSecretKey(place), readFormerKey(place)], [second, null]);
    assert.deepEqual(readdirSync(dataDir), ["secret.key"]);
  });
});

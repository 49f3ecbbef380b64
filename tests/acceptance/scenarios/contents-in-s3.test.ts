import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type S3Host, s3Error, startS3Host } from "../../s3-host/s3-host.ts";
import { type AnyJson, Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, makeSkill, runTurn, toolResults } from "../harness/fixtures.ts";
import { runBerth } from "../harness/run-berth.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { settingsToShare } from "../harness/shared-database.ts";

const MIB = 1_048_576;

let s3: S3Host;
let first: Berth;
let second: Berth;
let api: Api;
let secondApi: Api;
before(async () => {
  s3 = await startS3Host();
  first = await Berth.start({ settings: { BERTH_BLOBS: s3.place } });
  second = await Berth.start({ settings: { ...settingsToShare(first), BERTH_BLOBS: s3.place } });
  api = await first.client();
  secondApi = new Api(second.url, api.token);
});
after(async () => {
  await second.stop();
  await first.stop();
  s3.close();
});

async function contentOf(client: Api, id: string, range?: string): Promise<Buffer> {
  const headers = client.headers(range === undefined ? {} : { range });
  const response = await fetch(client.address(`/files/${id}/content`), { headers });
  assert.equal(response.status, range === undefined ? 200 : 206);
  return Buffer.from(await response.arrayBuffer());
}

function put(client: Api, file: AnyJson, content: Buffer, start: number) {
  const range = `bytes ${start}-${start + content.length - 1}/*`;
  const headers = { "content-range": range };
  return client.call("PUT", `/files/${file.id}/content`, undefined, {
    raw: new Uint8Array(content),
    headers,
  });
}

const keyOf = (sha256: string) => `berth/blobs/${sha256}`;

covers(
  ["s3-contents"],
  "contents in S3: uploads, skills, mounted files and outputs, over two services",
  async () => {
    const content = randomBytes(9 * MIB);
    const file = await makeFile(api, content, "large.bin");
    const sha256 = createHash("sha256").update(content).digest("hex");
    assert.equal(file.sha256, sha256);
    assert.ok(s3.keys().includes(keyOf(sha256)));
    assert.deepEqual(await contentOf(secondApi, file.id), content);
    const range = await contentOf(secondApi, file.id, "bytes=1000-8500000");
    assert.deepEqual(range, content.subarray(1_000, 8_500_001));
    const skill = await makeSkill(secondApi, "kept-in-s3");
    const resources = [
      { type: "file", file_id: file.id },
      { type: "file", file_id: (await makeFile(api, "small")).id, mount_path: "/mnt/small" },
    ];
    const agent = (await makeSession(api)).agent.id;
    const withSkill = await api.ok("POST", `/agents/${agent}`, {
      version: 1,
      skills: [{ type: "custom", skill_id: skill.id }],
    });
    const session = await makeSession(api, { agent: withSkill.id, resources });
    const events = await runTurn(
      api,
      session.id,
      bash(
        `sha256sum < /mnt/session/uploads/${file.id}; cat /mnt/small; sh /mnt/skills/kept-in-s3/scripts/run.sh; echo out > /mnt/session/outputs/a`,
      ),
    );
    const [output = ""] = toolResults(events);
    assert.match(output, new RegExp(`^${sha256} .*small.*I am kept-in-s3`, "s"));
    const { data } = await api.ok("GET", `/files?scope_id=${session.id}`);
    assert.equal((await contentOf(secondApi, data[0].id)).toString(), "out\n");
    assert.ok(!existsSync(join(first.dataDir, "blobs")));
    assert.equal((await secondApi.delete(`/files/${data[0].id}`)).status, 200);
    assert.ok(!s3.keys().includes(keyOf(data[0].sha256)));
  },
);

covers(["s3-uploads"], "contents in S3: an upload goes on over another service", async () => {
  const content = randomBytes(19 * MIB);
  const file = await api.ok("POST", "/files", { filename: "a.bin", size_bytes: content.length });
  let start = 0;
  for (const [index, end] of [3 * MIB, 12 * MIB, 12 * MIB + 1, content.length].entries()) {
    const client = index % 2 === 0 ? api : secondApi;
    const { status, body } = await put(client, file, content.subarray(start, end), start);
    assert.deepEqual([status, body.uploaded_bytes], [200, end]);
    start = end;
  }
  assert.equal((await api.ok("GET", `/files/${file.id}`)).status, "ready");
  assert.deepEqual(await contentOf(api, file.id), content);
  const left = s3.keys().filter((key) => !key.startsWith("berth/blobs/"));
  assert.deepEqual([left, s3.uploads()], [["berth/store"], []]);
});

covers(["s3-away"], "contents in S3: the bucket is away → 503, and nothing is lost", async () => {
  const kept = await makeFile(api, "kept before");
  const content = randomBytes(9 * MIB);
  const file = await api.ok("POST", "/files", { filename: "a.bin" });
  await put(api, file, content.subarray(0, MIB), 0);
  s3.fault = (_request, response, message) => s3Error(message, response, 403, "AccessDenied");
  const refused = await put(api, file, content.subarray(MIB), MIB);
  assertError(refused, 503, "api_error", {
    message: "The service cannot reach its storage for file contents.",
  });
  assert.deepEqual(
    ["retry-after", "x-should-retry"].map((name) => refused.headers.get(name)),
    ["5", "true"],
  );
  const read = await api.get(`/files/${kept.id}/content`);
  assertError(read, 503, "api_error");
  const form = new FormData();
  form.set("file", new Blob(["new"]), "new.txt");
  assertError(await api.call("POST", "/files", undefined, { raw: form }), 503, "api_error");
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
  assert.equal((await api.ok("GET", `/files/${file.id}`)).uploaded_bytes, MIB);
  s3.fault = () => false;
  assert.equal((await put(api, file, content.subarray(MIB), MIB)).status, 200);
  s3.fault = ({ method }, response, message) =>
    method === "DELETE" && s3Error(message, response, 403, "AccessDenied");
  assert.equal(
    (
      await api.call("PUT", `/files/${file.id}/content`, undefined, {
        headers: { "content-range": `bytes */${content.length}` },
      })
    ).body.status,
    "ready",
  );
  s3.fault = () => false;
  assert.deepEqual(await contentOf(api, file.id), content);
  assert.equal((await contentOf(api, kept.id)).toString(), "kept before");
  assert.ok(!first.log.includes("S3RVER"), "a credential is in the log");
});

covers(
  ["s3-start"],
  "contents in S3: a bucket that cannot be used → one sentence, at start and in doctor",
  async (t) => {
    const place = (bucket: string) => s3.place.replace("s3://contents", `s3://${bucket}`);
    const start = (settings: Record<string, string>) =>
      assert.rejects(servicesOf(t)({ settings }), (error: Error) => {
        const [, sentence = error.message] =
          /^serve ended with 1:\n(?:.*\n)*?error: ([^\n]+)\n$/.exec(error.message) ?? [];
        said.push(sentence);
        return true;
      });
    const said: string[] = [];
    await start({ BERTH_BLOBS: place("other") });
    // s3rver does not check signatures.
    s3.fault = (_request, response, message) => s3Error(message, response, 403, "SignatureDoesNotMatch");
    await start({ BERTH_BLOBS: s3.place, AWS_SECRET_ACCESS_KEY: "wrong-secret" });
    s3.fault = () => false;
    await start({ BERTH_BLOBS: "s3://contents?endpoint=http://127.0.0.1:9" });
    assert.match(said[0] ?? "", /^There is no bucket 'other' at http:\S+\.$/);
    assert.match(said[1] ?? "", /^S3 at http:\S+ refuses the credentials \(SignatureDoesNotMatch\)\.$/);
    assert.match(said[2] ?? "", /^S3 at http:\S+ cannot be reached \(ECONNREFUSED\)\.$/);
    const examined = await runBerth(["doctor", "--json", "--data-dir", first.dataDir], {
      BERTH_BLOBS: s3.place,
    });
    assert.match(examined.said, /A small object was written, read and deleted at s3:/);
    const refused = await runBerth(["doctor", "--json", "--data-dir", first.dataDir], {
      BERTH_BLOBS: place("other"),
    });
    assert.match(refused.said, /There is no bucket 'other'/);
    const userinfo = await runBerth(["serve", "--data-dir", first.dataDir], {
      BERTH_BLOBS: "s3://key:hidden@contents",
    });
    assert.match(userinfo.said, /BERTH_BLOBS must not contain credentials/);
    assert.doesNotMatch(userinfo.said, /hidden/);
  },
);

covers(
  ["s3-move", "s3-backup"],
  "contents in S3: moved there and back, interrupted, damaged, and backed up",
  async (t) => {
    const start = servicesOf(t);
    const service = await start();
    const { dataDir } = service;
    const client = await service.client();
    const contents = [randomBytes(9 * MIB), randomBytes(100), Buffer.from("damaged later")];
    const files: AnyJson[] = [];
    for (const content of contents) files.push(await makeFile(client, content));
    const pending = await client.ok("POST", "/files", { filename: "a.bin" });
    await put(client, pending, randomBytes(10), 0);
    const place = s3.place.replace("/berth?", "/moved?");
    const move = (from: string, to: string) =>
      runBerth(["blobs", "move", "--from", from, "--to", to, "--data-dir", dataDir, "--json"]);
    assert.match((await move("disk", place)).said, /Stop it first/);
    await service.kill("SIGTERM");
    assert.match((await move("disk", "s3://a:b@contents")).said, /must not contain credentials/);
    assert.match((await move("disk", "disk")).said, /Both places are the same/);
    assert.match(
      (await move("disk", place.replace("contents", "absent"))).said,
      /There is no bucket 'absent'/,
    );

    const { sha256 } = files[2];
    const damaged = join(dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2, 4), sha256);
    writeFileSync(damaged, "other bytes");
    const stopped = await move("disk", place);
    const { copied, present } = JSON.parse(stopped.said);
    assert.deepEqual([stopped.code, copied, present, JSON.parse(stopped.said).damaged], [1, 2, 0, [sha256]]);
    writeFileSync(damaged, contents[2] ?? "");
    const moved = await move("disk", place);
    assert.equal(moved.code, 0, moved.said);
    assert.deepEqual(JSON.parse(moved.said), {
      from: "disk",
      to: place,
      copied: 1,
      bytes: 13,
      present: 2,
      damaged: [],
    });
    rmSync(join(dataDir, "blobs"), { recursive: true });

    const inS3 = await start({ dataDir, settings: { BERTH_BLOBS: place } });
    const again = new Api(inS3.url, client.token);
    for (const [index, content] of contents.entries())
      assert.deepEqual(await contentOf(again, files[index].id), content);
    assert.equal((await again.ok("GET", `/files/${pending.id}`)).uploaded_bytes, 0);
    assert.equal((await put(again, pending, randomBytes(20), 0)).status, 200);

    const directory = await mkdtemp(join(tmpdir(), "berth-s3-backup-"));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const [backup, settings] = [join(directory, "backup"), { BERTH_BLOBS: place }];
    const made = await runBerth(["backup", backup, "--with-key", "--data-dir", dataDir], settings);
    assert.match(made.said, /no file contents: they are only in s3:\S+\. Keep the bucket/);
    assert.ok(!readdirSync(backup).includes("blobs"));
    assert.match((await runBerth(["restore", backup, "--check"])).said, /no file contents: they are in s3:/);
    await again.delete(`/files/${files[1].id}`);
    const checked = await runBerth(["restore", backup, "--check"], settings);
    assert.equal(checked.code, 1);
    assert.match(checked.said, new RegExp(`The content ${files[1].sha256} is missing or damaged`));

    await inS3.kill("SIGTERM");
    const back = await move(place, "disk");
    assert.equal(JSON.parse(back.said).copied, 2, back.said);
    const onDisk = await start({ dataDir });
    const last = new Api(onDisk.url, client.token);
    assert.deepEqual(await contentOf(last, files[0].id), contents[0]);
    assert.match(readFileSync(join(backup, "backup.json"), "utf8"), /"contents_at": "s3:/);
  },
);

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, before } from "node:test";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { administerHost, hostOf } from "../harness/hosts.ts";
import { runBerth } from "../harness/run-berth.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { databaseUrlOf, settingsToShare } from "../harness/shared-database.ts";
import { readFrames } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** Two services on one database, like two machines behind a load balancer. */
let first: Berth;
let second: Berth;
let firstApi: Api;
let secondApi: Api;
before(async () => {
  first = await Berth.start();
  second = await Berth.start({ settings: settingsToShare(first) });
  firstApi = await first.client();
  secondApi = new Api(second.url, firstApi.token);
});
after(async () => {
  await second.stop();
  await first.stop();
});

covers(
  ["event-stream", "event-resume"],
  "two services: a stream of one receives events sent through the other",
  async () => {
    const session = await makeSession(firstApi);
    const followed: AnyJson[] = [];
    const following = follow(session.id, followed, 5);
    for (let turn = 0; turn < 5; turn++) {
      const api = turn % 2 === 0 ? firstApi : secondApi;
      await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash(`echo turn ${turn}`))] });
    }
    await following;
    const log = (await secondApi.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.deepEqual(
      followed.map(({ id }) => id),
      log.map(({ id }: AnyJson) => id).slice(0, followed.length),
    );
    assert.deepEqual((await firstApi.ok("GET", `/sessions/${session.id}/events?limit=100`)).data, log);
  },
);

covers(
  ["second-service-key"],
  "two services: one with another secret key is rejected at its start",
  async () => {
    const start = Berth.start({ settings: { BERTH_DATABASE_URL: databaseUrlOf(first) } });
    await assert.rejects(
      start,
      /^Error: serve ended with 1:\nerror: This database belongs to another secret key: [^\n]+\n$/,
    );
  },
);

covers(
  ["second-service-contents"],
  "two services: one that does not share the contents is rejected at its start",
  async () => {
    const { BERTH_BLOBS: _, ...settings } = settingsToShare(first);
    const sentence =
      /^Error: serve ended with 1:\nerror: Another service of this database keeps file contents elsewhere than in \S+: set BERTH_BLOBS [^\n]+\n$/;
    await assert.rejects(Berth.start({ settings }), sentence);
    const file = await makeFile(secondApi, "shared", "shared.txt");
    const response = await fetch(firstApi.address(`/files/${file.id}/content`), {
      headers: { authorization: `Bearer ${firstApi.token}` },
    });
    assert.equal(await response.text(), "shared");
  },
);

covers(
  ["secrets-rewrap"],
  "two services: a stopped one's key is not replaced while the other runs",
  async (t) => {
    const settings = settingsToShare(first);
    const third = await servicesOf(t)({ settings });
    await third.kill("SIGTERM");
    const former = settings.BERTH_SECRET_KEY_FILE;
    const rewrap = ["secrets", "rewrap", "--data-dir", third.dataDir, "--former-key-file", former];
    const { code, said } = await runBerth(rewrap, settings);
    assert.equal(code, 1, said);
    assert.match(said, /^error: Another service of this database, [0-9a-f]{16} on \S+, was seen less than/);
  },
);

covers(
  ["second-service-parts"],
  "two services: a part waits for the other service's, and goes on from its bytes",
  async () => {
    const content = new Uint8Array(randomBytes(9 * 1_048_576));
    const total = content.length;
    const file = await firstApi.ok("POST", "/files", { filename: "parts.bin" });
    const path = `/files/${file.id}/content`;
    const range = `bytes 0-${total - 1}/${total}`;
    const given = firstApi.headers({ "content-range": range, "content-length": `${total}` });
    const cut = request(firstApi.address(path), { method: "PUT", headers: Object.fromEntries(given) });
    cut.on("error", () => undefined).write(content.subarray(0, total - 1));
    const received = async () => (await secondApi.ok("GET", `/files/${file.id}`)).uploaded_bytes;
    await waitUntil(
      async () => (await received()) > 0,
      () => "no bytes are counted",
    );
    const sendRest = async () => {
      const start = await received();
      return await secondApi.call("PUT", path, undefined, {
        raw: content.subarray(start),
        headers: { "content-range": `bytes ${start}-${total - 1}/${total}` },
      });
    };
    const early = sendRest();
    cut.destroy();
    const { status, body: answer } = await early;
    assert.ok(status === 200 || /must begin at byte/.test(answer.error.message), JSON.stringify(answer));
    const { body } = status === 200 ? await early : await sendRest();
    const sha256 = createHash("sha256").update(content).digest("hex");
    assert.deepEqual([body.status, body.sha256], ["ready", sha256]);
  },
);

/**
 * Reads the stream of the second service, reconnecting after every fourth event, until all messages are
 * processed.
 */
async function follow(session: string, followed: AnyJson[], messages: number): Promise<void> {
  let processed = 0;
  for (;;) {
    const last = followed.at(-1)?.id;
    const from = last === undefined ? { query: "from=start" } : { lastEventId: last };
    let count = 0;
    for await (const { data } of readFrames(secondApi, session, from)) {
      followed.push(data);
      if (data.type === "user.message") processed += 1;
      if (data.type === "session.status_idle" && processed === messages) return;
      if (++count === 4) break;
    }
  }
}

covers(
  ["workspace-elsewhere", "changes-repository"],
  "two services: each answers for the disks of the other",
  async () => {
    const sessions = [await sessionNotOn(first), await sessionNotOn(second)];
    for (const api of [firstApi, secondApi]) {
      for (const { id } of sessions) {
        const { data } = await api.ok("GET", `/sessions/${id}/workspace`);
        assert.deepEqual(
          data.map(({ name }: AnyJson) => name),
          ["name", "numbers"],
        );
        const content = await api.get(`/sessions/${id}/workspace/content?path=/data/numbers`);
        assert.equal(content.body.length, 108_894);
        assert.deepEqual((await api.ok("GET", `/sessions/${id}/changes`)).repositories, []);
      }
    }
  },
);

/** Creates a session whose disk is on the other service. */
async function sessionNotOn({ dataDir }: Berth): Promise<AnyJson> {
  const host = hostOf({ dataDir });
  await administerHost(first, "drain", host);
  const session = await makeSession(firstApi);
  await runTurn(firstApi, session.id, bash("seq 1 20000 >/data/numbers; touch /data/name"));
  await administerHost(first, "resume", host);
  return session;
}

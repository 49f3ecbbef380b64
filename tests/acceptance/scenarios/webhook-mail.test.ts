import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { SMTPServer } from "smtp-server";
import { type AnyJson, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeSession, runTurn } from "../harness/fixtures.ts";
import { waitUntil } from "../harness/wait-until.ts";

interface Mail {
  from: string;
  to: string[];
  text: string;
}

const mails: Mail[] = [];
/** Whether the relay refuses what it gets. */
let isFull = false;
const relay = new SMTPServer({
  disabledCommands: ["STARTTLS"],
  onAuth: ({ username, password }, _session, done) =>
    username === "berth" && password === "p@ss"
      ? done(null, { user: username })
      : done(new Error("Wrong password")),
  async onData(stream, { envelope }, done) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (isFull) return done(new Error("The mailbox is full"));
    const { mailFrom, rcptTo } = envelope;
    mails.push({
      from: mailFrom === false ? "" : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      text: Buffer.concat(chunks).toString(),
    });
    done();
  },
  logger: false,
});
const server = relay.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => new Promise<void>((resolve) => relay.close(() => resolve())));
const directory = mkdtempSync(join(tmpdir(), "berth-mail-"));
after(() => rmSync(directory, { recursive: true }));
const urlFile = join(directory, "smtp-url");
const { port } = server.address() as AddressInfo;
writeFileSync(urlFile, `smtp://berth:p%40ss@127.0.0.1:${port}\n`, { mode: 0o600 });
const { berth, api } = await startBerth({
  settings: {
    BERTH_SMTP_URL_FILE: urlFile,
    BERTH_SMTP_FROM: "Berth <berth@mail.example>",
    BERTH_PUBLIC_URL: "https://berth.example.com",
  },
});
after(() => berth.stop());

covers(
  ["webhook-mail"],
  "mail: to members, with a link, and again under one id until the relay takes it",
  async () => {
    await berth.client({ user: "Grace@example.com" });
    const email = "owner@example.com";
    const recipients = [email, "grace@EXAMPLE.com"];
    const webhook = await api.ok("POST", "/webhooks", {
      ...{ format: "email", recipients, enabled_events: ["session.requires_action"] },
    });
    assert.deepEqual([webhook.url, webhook.secret, webhook.recipients.length], [null, null, 2]);
    const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
    const asking = await makeAgent(api, {
      name: "Robin",
      tools: [{ type: "agent_toolset_20260401", configs: [ask] }],
    });
    isFull = true;
    const { id } = await makeSession(api, { agent: asking.id, title: "Fix\r\nBcc: evil@example.com" });
    await runTurn(api, id, bash("true"));
    const delivery = async (): Promise<AnyJson> =>
      (await api.ok("GET", `/webhooks/${webhook.id}/deliveries`)).data[0];
    await waitUntil(
      async () => (await delivery()).error !== null,
      () => "it did not fail",
    );
    assert.deepEqual(
      [(await delivery()).error, mails],
      ["The connection to the receiver failed (EMESSAGE).", []],
    );
    isFull = false;
    await waitUntil(
      async () => (await delivery()).status === "delivered",
      () => "it was not sent again",
    );
    const [mail] = mails;
    assert.equal(mails.length, 1);
    assert.equal(mail?.from, "berth@mail.example");
    assert.deepEqual(mail?.to.map((to) => to.toLowerCase()).toSorted(), ["grace@example.com", email]);
    assert.match(
      mail?.text ?? "",
      new RegExp(`^Message-ID: <${(await delivery()).event_id}@mail.example>`, "im"),
    );
    const text = mail?.text.replaceAll("=\r\n", "") ?? "";
    assert.doesNotMatch(mail?.text ?? "", /^Bcc:/im, "a title is no header");
    assert.match(text, new RegExp(`waits for ${email.replace("@", "(@|=40)")} to answer a call`));
    assert.match(text, new RegExp(`https://berth.example.com/console/sessions/${id}`));

    const changed = await api.ok("POST", `/webhooks/${webhook.id}`, { recipients: [email] });
    assert.deepEqual(changed.recipients, [email]);
    const stranger = await api.post(`/webhooks/${webhook.id}`, { recipients: ["stranger@example.com"] });
    assertError(stranger, 400, "invalid_request_error", { param: "recipients[0]" });
    assertError(
      await api.post(`/webhooks/${webhook.id}`, { url: "https://x.example/" }),
      400,
      "invalid_request_error",
    );
    const own = await api.ok("POST", "/webhooks", { format: "email", enabled_events: ["vault.deleted"] });
    assert.deepEqual(own.recipients, [email], "by default the user's own");
    assert.deepEqual(await api.ok("POST", `/webhooks/${own.id}/test`), {
      ok: true,
      message: "The relay accepted the mail.",
    });
  },
);

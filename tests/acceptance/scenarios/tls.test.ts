import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { makeCertificates } from "../../git-host/certificates.ts";
import type { AnyJson } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { waitUntil } from "../harness/wait-until.ts";

const PUBLIC_URL = "https://berth.example.com";

let directory: string;
let berth: Berth;
let token: string;
const at = (name: string) => join(directory, name);

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "berth-tls-"));
  await makeCertificates(directory, ["localhost", "127.0.0.1"]);
  copyFileSync(at("server.pem"), at("cert.pem"));
  copyFileSync(at("server.key"), at("key.pem"));
  berth = await Berth.start({
    settings: {
      BERTH_TLS_CERT: at("cert.pem"),
      BERTH_TLS_KEY: at("key.pem"),
      BERTH_TRUSTED_PROXIES: "127.0.0.1",
      BERTH_PUBLIC_URL: PUBLIC_URL,
    },
  });
  token = await berth.token();
});
after(async () => {
  await berth.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Sends a request on a new connection, as a client that trusts only this authority. */
async function call(path: string, headers: Record<string, string> = {}, ca = "ca.pem"): Promise<AnyJson> {
  const options: RequestOptions = { agent: false, ca: readFileSync(at(ca)), headers };
  return await new Promise((resolve, reject) => {
    request(`${berth.url}${path}`, options, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      resolve({
        status: response.statusCode,
        headers: response.headers,
        body: JSON.parse(`${Buffer.concat(parts)}`),
      });
    })
      .on("error", reject)
      .end();
  });
}

const logged = (text: string | RegExp) =>
  waitUntil(
    () => berth.log.split("\n").some((line) => line.match(text)),
    () => `not in the log: ${text}`,
  );

covers(["tls"], "TLS: the service listens for https alone, and prints its URL", async () => {
  assert.match(berth.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const { status, body } = await call("/api/v1/cloud/sessions", { authorization: `Bearer ${token}` });
  assert.deepEqual([status, body.data], [200, []]);
  const socket = connect(Number(new URL(berth.url).port), "127.0.0.1");
  socket.on("error", () => undefined).end("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n");
  const received: Buffer[] = [];
  socket.on("data", (part: Buffer) => received.push(part));
  await new Promise((resolve) => socket.once("close", resolve));
  assert.doesNotMatch(Buffer.concat(received).toString(), /200|ok/);
});

covers(["tls"], "TLS: changed files serve new connections, and unusable ones change nothing", async () => {
  writeFileSync(at("next"), "no certificate");
  renameSync(at("next"), at("cert.pem"));
  await logged(
    /cannot be used, so the service keeps the former ones: \S+cert\.pem is not a certificate in PEM\./,
  );
  assert.equal((await call("/livez")).status, 200);

  copyFileSync(at("ca.pem"), at("old-ca.pem"));
  await makeCertificates(directory, ["localhost", "127.0.0.1"]);
  copyFileSync(at("server.pem"), at("cert.pem"));
  await logged(/is not for the private key/);
  copyFileSync(at("server.key"), at("key.pem"));
  await logged(/the TLS certificate was replaced/);
  assert.equal((await call("/livez")).status, 200);
  await assert.rejects(call("/livez", {}, "old-ca.pem"));
});

covers(["trusted-proxies"], "trusted proxies: the address that the proxy adds is logged", async () => {
  const headers = {
    "x-forwarded-for": "203.0.113.9, 198.51.100.7, 127.0.0.1",
    "x-request-id": "req_forwarded",
  };
  const { headers: answered } = await call("/api/v1/cloud/sessions", headers);
  const id = answered["request-id"] ?? answered["x-request-id"];
  await logged(new RegExp(`"request_id":"${id}".*"client":"198\\.51\\.100\\.7"`));
});

covers(
  ["public-url"],
  "public URL: printed at the start, and the server of the OpenAPI document",
  async () => {
    assert.match(berth.output, new RegExp(`^berth: clients use ${PUBLIC_URL}$`, "m"));
    assert.deepEqual((await call("/openapi.json")).body.servers, [{ url: PUBLIC_URL }]);
    assert.doesNotMatch(berth.log, /listens for plain HTTP/);
  },
);

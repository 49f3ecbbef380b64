import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "./config.ts";
import { readConfig } from "./read-config.ts";
import { plainHttpWarning, tlsFilesOf } from "./tls-files.ts";

const given = (settings: Partial<Config>): Config => ({ ...readConfig({}), ...settings });

test("plain HTTP: a warning when other machines can reach it, and nothing shows TLS in front", () => {
  const [host, cert] = ["0.0.0.0", { tlsCert: "cert.pem", tlsKey: "key.pem" }];
  assert.match(String(plainHttpWarning(given({ host }))), /listens for plain HTTP at 0\.0\.0\.0/);
  assert.match(String(plainHttpWarning(given({ host: "::", publicUrl: "http://b" }))), /plain HTTP at ::/);
  const quiet = [
    given({}),
    given({ host: "127.0.0.2" }),
    given({ host: "::1" }),
    given({ host, ...cert }),
    given({ host, trustedProxies: ["10.0.0.1"] }),
    given({ host, publicUrl: "https://berth.example.com" }),
  ];
  const metrics = String(plainHttpWarning(given({ metricsAddress: "0.0.0.0:9464" })));
  assert.match(metrics, /metrics by plain HTTP at 0\.0\.0\.0:9464/);
  for (const config of quiet) assert.equal(plainHttpWarning(config), null);
});

test("TLS files: one without the other is named", () => {
  assert.equal(tlsFilesOf(given({})), null);
  assert.throws(() => tlsFilesOf(given({ tlsCert: "c" })), /BERTH_TLS_CERT needs BERTH_TLS_KEY/);
  assert.throws(() => tlsFilesOf(given({ tlsKey: "k" })), /BERTH_TLS_KEY needs BERTH_TLS_CERT/);
  assert.deepEqual(tlsFilesOf(given({ tlsCert: "c", tlsKey: "k" })), { cert: "c", key: "k" });
});

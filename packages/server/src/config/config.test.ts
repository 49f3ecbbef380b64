import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ConfigError } from "./config-error.ts";
import { readConfig } from "./read-config.ts";
import { unknownVariables } from "./unknown-variables.ts";

describe("settings", () => {
  test("no variables → defaults", () => {
    const config = readConfig({}, {}, "/somewhere");
    assert.equal(config.dataDir, "/somewhere/.berth");
    assert.equal(config.jsonLimit, 4_194_304);
    assert.equal(config.uploadLimit, 536_870_912);
    assert.equal(config.diskReclaimSeconds, 86_400);
    assert.deepEqual(config.hostedProviders, [
      { host: "github.com", api: "https://api.github.com", token_env: ["GH_TOKEN"], ca_file: null },
    ]);
  });

  test("outgoing proxies: the variables of other programs count last, and not when they are empty", (t) => {
    const common = { HTTPS_PROXY: "proxy.example:3128", http_proxy: "", NO_PROXY: "a.example, 10.0.0.0/8" };
    const config = readConfig(common);
    assert.equal(config.httpsProxy, "http://proxy.example:3128/");
    assert.equal(config.httpProxy, null);
    assert.deepEqual(config.noProxy, ["a.example", "10.0.0.0/8"]);
    const own = readConfig({ ...common, BERTH_HTTPS_PROXY: "https://own.example", BERTH_NO_PROXY: "" });
    assert.deepEqual([own.httpsProxy, own.noProxy], ["https://own.example/", []]);
    const directory = mkdtempSync(join(tmpdir(), "berth-proxy-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "url");
    writeFileSync(file, "http://user:word@file.example:3128\n");
    const inFile = readConfig({ ...common, BERTH_HTTPS_PROXY_FILE: file, BERTH_HTTP_PROXY_FILE: file });
    const url = "http://user:word@file.example:3128/";
    assert.deepEqual([inFile.httpsProxy, inFile.httpProxy], [url, url]);
    const socks = "socks5://user:hunter2@proxy";
    assert.throws(
      () => readConfig({ BERTH_HTTPS_PROXY: socks }),
      /^ConfigError: BERTH_HTTPS_PROXY must have the form http:\/\/user:password@host:port\.$/,
    );
    assert.equal(readConfig({ HTTPS_PROXY: socks }).httpsProxy, null);
    assert.deepEqual(unknownVariables({ HTTPS_PROXY: socks, NO_PROXY: "a.example" }), [
      "Berth ignores the variable HTTPS_PROXY: it must have the form http://user:password@host:port.",
    ]);
  });

  test("a flag wins over a variable, a variable over its file", (t) => {
    const directory = mkdtempSync(join(tmpdir(), "berth-config-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "url");
    writeFileSync(file, "postgres://file/db\n");
    const environment = { BERTH_PORT: "4181", BERTH_DATABASE_URL_FILE: file };
    assert.equal(readConfig(environment).databaseUrl, "postgres://file/db");
    assert.equal(readConfig(environment, { port: "4182" }).port, 4182);
    const direct = { ...environment, BERTH_DATABASE_URL: "postgres://direct/db" };
    assert.equal(readConfig(direct).databaseUrl, "postgres://direct/db");
    assert.equal(
      readConfig(direct, { "database-url": "postgres://flag/db" }).databaseUrl,
      "postgres://flag/db",
    );
    assert.equal(readConfig(direct, { "database-url-file": file }).databaseUrl, "postgres://file/db");
    assert.throws(
      () => readConfig({}, { "database-url": "postgres://flag/db", "database-url-file": file }),
      /^ConfigError: --database-url cannot be used with --database-url-file\.$/,
    );
  });

  test("a password in a flag → refused in one sentence that does not quote it; a variable and a file may have it", (t) => {
    const directory = mkdtempSync(join(tmpdir(), "berth-password-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "url");
    const database = "postgres://ann:hunter2@db.example/berth";
    const refused: ReadonlyArray<[flag: string, url: string]> = [
      ["https-proxy", "ann:hunter2@proxy.example:3128"],
      ["http-proxy", "HTTP://ann:hunter2@proxy.example:3128"],
      ["database-url", database],
      ["database-url", "postgresql://:hunter2@one.example:5432,two.example:5433/berth"],
      ["database-url", "postgres:///berth?host=/run/postgresql&password=hunter2"],
      ["database-url", "postgres:///berth?p%61ssword=hunter2"],
      ["database-url", "postgres://db.example/berth?sslpassword=hunter2"],
    ];
    for (const [flag, url] of refused) {
      const variable = `BERTH_${flag.replaceAll("-", "_").toUpperCase()}`;
      assert.throws(() => readConfig({}, { [flag]: url }), {
        name: "ConfigError",
        message: `--${flag} must not have a password, because every user of the machine could see it: use ${variable} or --${flag}-file.`,
      });
      writeFileSync(file, url);
      assert.deepEqual(readConfig({ [variable]: url }), readConfig({}, { [`${flag}-file`]: file }), url);
    }
    const taken = [
      "postgres://ann@db.example:5432/berth",
      "postgres://db.example/a:b@c?user=ann&password=",
      "postgres://ann@one.example:5432,two.example,[::1]:5433/berth?target_session_attrs=read-write",
    ];
    for (const url of taken) assert.equal(readConfig({}, { "database-url": url }).databaseUrl, url);
    const proxy = { "https-proxy": "ann@proxy.example:3128" };
    assert.equal(readConfig({}, proxy).httpsProxy, "http://ann@proxy.example:3128/");
  });

  test("several servers of a database: each needs a host, and only those that accept writes can be asked for", () => {
    for (const [url, fault] of [
      ["postgres://one,/berth", "have the form postgres://user@host:port,host:port/database"],
      ["postgres://one:a,two/berth", "have the form postgres://user@host:port,host:port/database"],
      [
        "postgres://one,two/b?target_session_attrs=any",
        "have target_session_attrs=read-write or none, because Berth writes",
      ],
    ])
      assert.throws(() => readConfig({ BERTH_DATABASE_URL: url }), {
        message: `BERTH_DATABASE_URL must ${fault}.`,
      });
  });

  test("a port that fetch blocks → refused in one sentence", () => {
    assert.throws(() => readConfig({}, { port: "4190" }), {
      message:
        "--port must not be 4190: browsers and other clients that use fetch refuse to connect to this port.",
    });
    assert.equal(readConfig({}, { port: "4191" }).port, 4191);
  });

  test("several faults → all are reported, and no message contains a secret", () => {
    const environment = {
      BERTH_PORT: "70000",
      BERTH_JSON_LIMIT: "33554433",
      BERTH_SANDBOX: "vm",
      BERTH_EGRESS_ALLOW_PRIVATE: "git.internal:8443,10.0.0.0/99",
      BERTH_DATABASE_URL: "mysql://root:hunter2@x/y",
      BERTH_HOSTED_PROVIDERS: '[{"host":"GitHub.com"}]',
    };
    assert.throws(
      () => readConfig(environment),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.faults.length, 6);
        assert.match(error.message, /BERTH_PORT must be/);
        assert.match(error.message, /BERTH_EGRESS_ALLOW_PRIVATE: "10\.0\.0\.0\/99" is not a host/);
        assert.ok(!error.message.includes("hunter2"));
        return true;
      },
    );
  });

  test("hosted providers: each field is validated", () => {
    const read = (text: string) => readConfig({ BERTH_HOSTED_PROVIDERS: text }).hostedProviders;
    assert.deepEqual(read('[{"host":"git.example:8443","token_env":["GH_TOKEN"],"ca_file":"/ca.pem"}]'), [
      { host: "git.example:8443", api: null, token_env: ["GH_TOKEN"], ca_file: "/ca.pem" },
    ]);
    for (const bad of [
      "{}",
      "[",
      "[1]",
      '[{"host":"a/b"}]',
      '[{"host":"a","hsot":1}]',
      '[{"host":"a"},{"host":"a"}]',
      '[{"host":"a","token_env":["1x"]}]',
      '[{"host":"a","api":"http://a"}]',
      '[{"host":"a:443"}]',
    ]) {
      assert.throws(() => read(bad), ConfigError, bad);
    }
  });

  test("git servers: certificate authorities and http hosts are validated", () => {
    const config = readConfig({
      BERTH_GIT_CA_FILES: '[{"host":"git.example:8443","ca_file":"/ca.pem"}]',
      BERTH_GIT_HTTP_HOSTS: "git.internal, git.internal:8080",
    });
    assert.deepEqual(config.gitCaFiles, [{ host: "git.example:8443", ca_file: "/ca.pem" }]);
    assert.deepEqual(config.gitHttpHosts, ["git.internal", "git.internal:8080"]);
    const bad = [
      { BERTH_GIT_CA_FILES: "{}" },
      { BERTH_GIT_CA_FILES: '[{"host":"a"}]' },
      { BERTH_GIT_CA_FILES: '[{"host":"https://a","ca_file":"/x"}]' },
      { BERTH_GIT_CA_FILES: '[{"host":"a","ca_file":"/x","more":1}]' },
      { BERTH_GIT_HTTP_HOSTS: "http://git.internal" },
      { BERTH_GIT_HTTP_HOSTS: "git.internal:80" },
    ];
    for (const one of bad) assert.throws(() => readConfig(one), ConfigError, JSON.stringify(one));
  });
});

test("variables of Kubernetes for a Service named berth → neither settings nor unknown ones", () => {
  const links = {
    BERTH_SERVICE_HOST: "10.96.0.12",
    BERTH_SERVICE_PORT: "4180",
    BERTH_SERVICE_PORT_HTTP: "4180",
    BERTH_PORT: "tcp://10.96.0.12:4180",
    BERTH_PORT_4180_TCP: "tcp://10.96.0.12:4180",
    BERTH_PORT_4180_TCP_PROTO: "tcp",
    BERTH_PORT_4180_TCP_ADDR: "10.96.0.12",
    BERTH_POSTGRES_PORT: "tcp://10.96.0.13:5432",
    BERTH_POSTGRES_SERVICE_HOST: "10.96.0.13",
  };
  assert.equal(readConfig(links).port, 4180);
  assert.deepEqual(unknownVariables(links), []);
  assert.equal(readConfig({ ...links, BERTH_PORT: "4181" }).port, 4181);
  assert.throws(() => readConfig({ BERTH_PORT: "10.96.0.12:4180" }), /BERTH_PORT must be an integer/);
});

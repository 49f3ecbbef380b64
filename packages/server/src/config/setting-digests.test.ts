import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { differingSettings } from "@berth/store/leases";
import { readConfig } from "./read-config.ts";
import { settingDigests } from "./setting-digests.ts";

const digests = (environment: Record<string, string>, models: object[] = []) =>
  settingDigests(readConfig(environment), models);

test("settingDigests: what decides results differs, what is the machine's own does not", () => {
  const one = digests({}, [{ id: "a/b" }]);
  const local = { BERTH_PORT: "4999", BERTH_DATA_DIR: "/elsewhere", BERTH_LOG_LEVEL: "debug" };
  assert.deepEqual(differingSettings(one, digests(local, [{ id: "a/b" }])), []);
  const other = digests({ BERTH_GIT_HTTP_HOSTS: "git.test", BERTH_ROOTFS: "host" }, [{ id: "a/c" }]);
  assert.deepEqual(differingSettings(one, other), ["BERTH_GIT_HTTP_HOSTS", "BERTH_ROOTFS", "models"]);
});

test("settingDigests: a certificate counts by its content, not by its file", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-digests-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const withFile = (name: string, content: string) => {
    const ca_file = join(directory, name);
    writeFileSync(ca_file, content);
    return digests({ BERTH_GIT_CA_FILES: JSON.stringify([{ host: "git.test", ca_file }]) });
  };
  const one = withFile("one.pem", "certificate");
  assert.deepEqual(differingSettings(one, withFile("two.pem", "certificate")), []);
  assert.deepEqual(differingSettings(one, withFile("three.pem", "another")), ["BERTH_GIT_CA_FILES"]);
});

test("differingSettings: a setting that only one version knows is no difference", () => {
  assert.deepEqual(differingSettings({ a: "1", b: "2" }, { a: "1", c: "3" }), []);
});

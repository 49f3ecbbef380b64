import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultLimits, type LimitSettings, STANDING_LIMITS } from "./default-limits.ts";
import { ownerLimits } from "./owner-limits.ts";

const GIGABYTE = 1_000_000_000;
const settings: LimitSettings = { organizationLimits: {}, userLimits: {}, dataDir: "/data", blobs: "disk" };
const of = (given: Partial<LimitSettings>, volume = 90_000 * GIGABYTE) =>
  defaultLimits({ ...settings, ...given }, () => volume);

test("limits that nobody set: on a large volume the standing ones, on a small one a third of it", () => {
  assert.deepEqual(of({}), STANDING_LIMITS);
  const { organization, user } = of({}, 240 * GIGABYTE);
  for (const { file_bytes, disk_bytes } of [organization, user])
    assert.deepEqual([file_bytes, disk_bytes], [80 * GIGABYTE, 80 * GIGABYTE]);
});

test("limits that nobody set: a volume counts only for what lies on it", () => {
  const inBucket = of({ blobs: "s3://bucket" }, 3 * GIGABYTE).organization;
  assert.deepEqual([inBucket.file_bytes, inBucket.disk_bytes], [1_000 * GIGABYTE, GIGABYTE]);
  for (const elsewhere of [{ role: "api" }, { sandbox: "kubernetes" }] as const) {
    const { file_bytes, disk_bytes } = of(elsewhere, 3 * GIGABYTE).user;
    assert.deepEqual([file_bytes, disk_bytes], [GIGABYTE, 500 * GIGABYTE]);
  }
});

test("limits that are set: the others stay; a rate without a burst has none of another rate; none turns off", () => {
  const one = of({ userLimits: ownerLimits("open_sessions=5,disk_bytes=none") });
  assert.deepEqual(one.user, { ...STANDING_LIMITS.user, open_sessions: 5, disk_bytes: null });
  assert.deepEqual(one.organization, STANDING_LIMITS.organization);
  const { user } = of({ userLimits: ownerLimits("requests_per_second=2") });
  assert.deepEqual([user.requests_per_second, user.request_burst], [2, undefined]);
  const { organization } = of({ organizationLimits: ownerLimits("none") });
  assert.deepEqual(new Set(Object.values(organization)), new Set([null]));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { timeZoneFault } from "./time-zone.ts";

test("a zone that is none: the name that was meant", () => {
  for (const name of ["Europe/Berlin", "UTC", "Asia/Calcutta", "Etc/GMT+3"])
    assert.equal(timeZoneFault(name), null);
  assert.match(timeZoneFault("Europe/Berln") ?? "", /'Europe\/Berlin'/);
  assert.match(timeZoneFault("new york") ?? "", /'America\/New_York'/);
  for (const name of ["+01:00", "", "CEST5", "../etc"]) assert.match(timeZoneFault(name) ?? "", /IANA name/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { notifySocket } from "../../../tests/systemd/notify-socket.ts";
import { openServiceManager } from "./service-manager.ts";

test("openServiceManager: messages arrive in order, one datagram each, and children do not inherit the socket", async (t) => {
  const { path, next } = await notifySocket(t);
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "8000000", WATCHDOG_PID: `${process.pid}`, HOME: "/" };
  const manager = openServiceManager(env);
  assert.deepEqual(env, { HOME: "/" });
  assert.equal(manager?.watchdogMs, 8_000);
  manager?.tell("READY=1", "STATUS=one\nWATCHDOG=1");
  manager?.tell("STOPPING=1");
  manager?.close();
  assert.deepEqual(await next(() => true), ["READY=1", "STATUS=one WATCHDOG=1"]);
  assert.deepEqual(await next(() => true), ["STOPPING=1"]);
});

test("openServiceManager: none that listens, and a watchdog of another process", () => {
  assert.equal(openServiceManager({}), null);
  assert.equal(openServiceManager({ NOTIFY_SOCKET: "vsock:2:1" }), null);
  const other = { NOTIFY_SOCKET: "@berth-none", WATCHDOG_USEC: "8000000", WATCHDOG_PID: "1" };
  assert.equal(openServiceManager(other)?.watchdogMs, null);
  assert.equal(openServiceManager({ NOTIFY_SOCKET: "@berth-none" })?.watchdogMs, null);
});

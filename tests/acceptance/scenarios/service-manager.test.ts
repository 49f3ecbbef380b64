import assert from "node:assert/strict";
import { waitForPid } from "../../crash/processes.ts";
import { notifySocket } from "../../systemd/notify-socket.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn } from "../harness/fixtures.ts";
import { servicesOf } from "../harness/services-of-test.ts";

covers(
  ["service-notify"],
  "systemd: it is told ready, alive, frozen and stopping; a frozen runner leaves the watchdog without a sign",
  async (t) => {
    const start = servicesOf(t);
    const { path, next } = await notifySocket(t);
    const berth = await start({ settings: { NOTIFY_SOCKET: path, WATCHDOG_USEC: "2000000" } });
    await next((message) => message.includes("READY=1"));
    await berth.ready();
    await next((message) => message.includes("WATCHDOG=1"));

    const runner = await waitForPid(berth, "runner");
    process.kill(runner, "SIGSTOP");
    const frozen = "STATUS=The process that runs sessions is frozen.";
    assert.deepEqual(await next((message) => message.includes(frozen)), [frozen]);
    process.kill(runner, "SIGCONT");
    assert.deepEqual(await next(() => true), ["WATCHDOG=1", `STATUS=Listening on ${berth.url}.`]);

    const api = await berth.client();
    const session = await makeSession(api);
    const events = await runTurn(api, session.id, { tools: [bash("env")] }, { say: "Done." });
    assert.doesNotMatch(JSON.stringify(events), /NOTIFY_SOCKET|WATCHDOG/);

    await berth.kill("SIGTERM");
    await next((message) => message.includes("STOPPING=1"));
  },
);

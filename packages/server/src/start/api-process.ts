/** Program of a further process of the API, a child of the first one. It exits as soon as its parent does. */

import type { SendHandle } from "node:child_process";
import { Server } from "node:net";
import type { ServiceFault } from "@berth/api/features";
import type { RenderedMetrics } from "@berth/api/http";
import { openBlobs } from "@berth/store/blobs";
import { type DatabaseAddress, openDatabase } from "@berth/store/db";
import { createLog, createRedactor } from "@berth/store/log";
import { openSessionHub } from "@berth/store/notify";
import { openTraces } from "@berth/store/traces";
import { Registry } from "prom-client";
import type { Config } from "../config/config.ts";
import { connectionsOf } from "../config/connections.ts";
import { exitAfterAnswer, parentCalls, reportSigns, type Signs } from "../processes/parent-calls.ts";
import type { Given } from "../processes/process-calls.ts";
import { type FurtherApi, openFurtherApi } from "./api.ts";
import { apiSettings, tlsOf } from "./api-settings.ts";
import { keysOf } from "./keys-of.ts";
import { type NoticeCalls, neighboursBehind } from "./notice-relay.ts";
import { openModels } from "./open-models.ts";
import { Parts } from "./parts.ts";
import { type RateCalls, sharedRates } from "./shared-rates.ts";

/** Calls that a further API process accepts. */
export type ApiCalls = NoticeCalls & {
  /**
   * Opens everything except a listening socket.
   * @param name Name of the process in metrics.
   * @param service As for the runner.
   */
  start(given: { config: Config; address: DatabaseAddress; name: string; service: string }): void;
  /** Accepts connections on the listening server that is sent with the call. */
  join(given: null): void;
  /** Returns its metrics, in the form of `Registry.getMetricsAsJSON`. */
  measure(given: null): object[];
  stop(given: null): void;
};

/** Calls that a further API process makes to the first one. */
export type FirstApiCalls = Signs<null> &
  RateCalls &
  NoticeCalls & {
    fault(given: null): ServiceFault | null;
    renderMetrics(given: null): RenderedMetrics;
  };

const stopping = new AbortController();
const registry = new Registry();
let parts: Parts | undefined;
let api: FurtherApi | undefined;

const neighbours = neighboursBehind((notice) => calls.tell("notice", notice));
const calls = parentCalls<ApiCalls, FirstApiCalls>({
  notice: neighbours.heard,
  async start(given) {
    await start(given);
    reportSigns(calls, () => null);
  },
  async join(_given, handle?: SendHandle) {
    if (api === undefined || !(handle instanceof Server)) throw new Error("There is nothing to join.");
    await api.join(handle);
  },
  measure: async () => await registry.getMetricsAsJSON(),
  async stop() {
    stopping.abort(new Error("The service is stopping."));
    await parts?.close();
    process.exit(0);
  },
});

async function start({ config, address, name, service }: Given<ApiCalls, "start">): Promise<void> {
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: name });
  parts = new Parts(log, stopping.signal);
  try {
    api = await openParts(parts);
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0);
    log.fatal({ err: error }, "a process of the API could not start");
    await parts.close();
    exitAfterAnswer(1);
    throw error;
  }

  async function openParts(open: Parts): Promise<FurtherApi> {
    const keys = keysOf(config);
    const db = await open.open(
      () => openDatabase({ ...address, log, ...connectionsOf(config, "further") }),
      (one) => one.close(),
    );
    const [hub, models, blobs, traces] = await Promise.all([
      open.open(
        () => openSessionHub({ db, log, heardBy: "api", neighbours: neighbours.of(service) }),
        (one) => one.close(),
      ),
      open.open(() => openModels(config, log)),
      open.open(
        () => openBlobs(config, db),
        (one) => one.close(),
      ),
      open.open(
        () => openTraces(process.env, "api", log),
        (one) => one.close(),
      ),
    ]);
    return await open.open(
      () =>
        openFurtherApi({
          ...apiSettings(config, keys),
          tls: tlsOf(config),
          ...{ db, hub, log, redactor, models, blobs, traces, registry },
          processName: name,
          rates: sharedRates(calls),
          fault: () => calls.call("fault", null),
          renderMetrics: () => calls.call("renderMetrics", null),
        }),
      (one) => one.close(),
    );
  }
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import type { Berth } from "../../tests/acceptance/harness/berth.ts";
import { type Figure, median, percentile } from "../figure.ts";

const SECONDS = 20;
const PER_SECOND = 500;
const CALLERS = 32;

/**
 * Measures the time from the response to a change, which comes after its commit, to the first byte of the delivery that
 * tells of it, at 500 changes a second. The peer is the same at five a second.
 */
export async function webhookFigures(_berth: Berth, api: Api): Promise<Figure[]> {
  const told = new Map<string, number>();
  const server = createServer((request, response) => {
    const began = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(204).end();
      const { id } = JSON.parse(Buffer.concat(chunks).toString()).data;
      told.set(id, told.get(id) ?? began);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await api.ok("POST", "/webhooks", { url, enabled_events: ["vault.created"] });
  const seldom = await delays(api, told, { perSecond: 5, seconds: SECONDS });
  const often = await delays(api, told, { perSecond: PER_SECOND, seconds: SECONDS });
  server.close();
  server.closeAllConnections();
  const peer = "the same at 5 events a second";
  const note = `${often.made.toFixed(0)} events a second were made; p99 ${percentile(often.ms, 0.99).toFixed(0)} ms`;
  return [
    {
      ...{
        what: `event committed → first byte of its delivery, ${PER_SECOND} a second`,
        peer,
        unit: "ms",
        note,
      },
      ...{
        value: median(often.ms),
        p95: percentile(often.ms, 0.95),
        peerValue: median(seldom.ms),
        limit: 20,
      },
    },
  ];
}

async function delays(
  api: Api,
  told: ReadonlyMap<string, number>,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<{ ms: number[]; made: number }> {
  const committed = new Map<string, number>();
  const began = performance.now();
  let sent = 0;
  const caller = async () => {
    while (sent < perSecond * seconds) {
      const dueMs = (sent++ / perSecond) * 1_000;
      await pause(Math.max(0, dueMs - (performance.now() - began)));
      const vault: AnyJson = await api.ok("POST", "/vaults", { display_name: "v" });
      committed.set(vault.id, performance.now());
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const made = committed.size / ((performance.now() - began) / 1_000);
  while (![...committed.keys()].every((id) => told.has(id))) await pause(10);
  const ms = [...committed].map(([id, at]) => Math.max(0, (told.get(id) ?? Number.NaN) - at));
  return { ms, made };
}

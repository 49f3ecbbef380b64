import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { waitUntil } from "./wait-until.ts";

/** A proxy with one user, like those between a company's machines and the internet. */
export interface Tinyproxy {
  /** `127.0.0.1:PORT` */
  host: string;
  /** Returns the log of requests and responses. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts Debian's tinyproxy. */
export async function startTinyproxy(directory: string, user: string, password: string): Promise<Tinyproxy> {
  const port = await freePort();
  const [config, logFile] = [join(directory, "tinyproxy.conf"), join(directory, "tinyproxy.log")];
  const lines = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    `LogFile "${logFile}"`,
    "LogLevel Info",
    "MaxClients 50",
  ];
  writeFileSync(config, [...lines, "Timeout 60", `BasicAuth ${user} ${password}`, ""].join("\n"));
  writeFileSync(logFile, "");
  const child = spawn("tinyproxy", ["-d", "-c", config], { stdio: "ignore" });
  const ended = once(child, "exit");
  const log = () => readFileSync(logFile, "utf8");
  await waitUntil(
    () => /Accepting connections/.test(log()),
    () => `tinyproxy does not listen: ${log()}`,
  );
  return {
    host: `127.0.0.1:${port}`,
    log,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

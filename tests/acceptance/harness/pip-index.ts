import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificates } from "../../git-host/certificates.ts";
import { zip } from "./zip.ts";

const WHEEL = "berth_sample-1.0-py3-none-any.whl";
const INFO = "berth_sample-1.0.dist-info";

/** A Python package index over https with one package, `berth-sample`, whose command prints a line. */
export interface PipIndex {
  /** `pypi.localhost:PORT` */
  host: string;
  url: string;
  caFile: string;
  /** The requested paths. */
  requests: string[];
  stop(): Promise<void>;
}

/** Starts the index. @param dir the directory for its certificates. */
export async function startPipIndex(dir: string): Promise<PipIndex> {
  const { caFile, key, certificate } = await makeCertificates(dir, ["pypi.localhost"]);
  const wheel = zip({
    "berth_sample.py": "def main():\n    print('sample of pip')\n",
    [`${INFO}/METADATA`]: "Metadata-Version: 2.1\nName: berth-sample\nVersion: 1.0\n",
    [`${INFO}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${INFO}/entry_points.txt`]: "[console_scripts]\nberth-sample = berth_sample:main\n",
    [`${INFO}/RECORD`]: [
      "berth_sample.py",
      ...["METADATA", "WHEEL", "entry_points.txt", "RECORD"].map((name) => `${INFO}/${name}`),
    ]
      .map((name) => `${name},,\n`)
      .join(""),
  });
  const requests: string[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    if (path === "/simple/berth-sample/")
      response.setHeader("content-type", "text/html").end(`<a href="/files/${WHEEL}">${WHEEL}</a>`);
    else if (path === `/files/${WHEEL}`) response.end(wheel);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `pypi.localhost:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `https://${host}/simple`,
    caFile,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

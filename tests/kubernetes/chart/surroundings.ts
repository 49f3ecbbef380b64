import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../../postgres-server/postgres-server.ts";
import { startS3Host } from "../../s3-host/s3-host.ts";
import { makeServiceImage } from "../harness/make-service-image.ts";
import { openServiceNetwork, type ServiceNetwork } from "../harness/service-network.ts";
import { startTestCluster, type TestCluster } from "../harness/test-cluster.ts";
import { ObjectsOfServer } from "./objects-of-server.ts";

const run = promisify(execFile);
/** The node's address as pods reach it. */
export const NODE = "10.77.0.1";
const [DATABASE, BUCKET] = [5_432, 9_000];
export const DATABASE_URL = `postgres://berth@${NODE}:${DATABASE}/berth`;
/** The port of an HTTP server outside the cluster, which pods reach at the node's address and as web.test. */
export const WEB = 8_080;
export const GATEWAY_PORT = 4_182;

/** The dependencies of an installed release. */
export interface Surroundings {
  /** A cluster for this test file, with the image of this source. */
  cluster: TestCluster;
  network: ServiceNetwork;
  server: ObjectsOfServer;
  /** The URL of a bucket, as pods reach it. */
  place: string;
}

/**
 * Starts a cluster, with a database, a bucket and a web server outside.
 *
 * @param cleanUp receives the functions that undo it; call them in reverse order, also after a failure.
 */
export async function startSurroundings(cleanUp: (() => unknown)[]): Promise<Surroundings> {
  const directory = mkdtempSync(join(tmpdir(), "berth-chart-"));
  cleanUp.push(() => rmSync(directory, { recursive: true, force: true }));
  // Made first, since it fails for faulty sources, when nothing else has been started.
  const archive = await makeServiceImage(directory);
  const [cluster, postgres, s3, web] = await Promise.all([
    startTestCluster(),
    startPostgres({ databases: ["berth"] }),
    startS3Host(),
    startWeb(cleanUp),
  ]);
  cleanUp.push(
    () => cluster.close(),
    () => postgres.stop(),
    () => s3.close(),
  );
  const socket = join(dirname(cluster.kubeconfig), "cd.sock");
  await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", archive]);
  const server = new ObjectsOfServer(cluster.kubeconfig);
  const network = await openServiceNetwork(cluster.kubeconfig);
  cleanUp.push(() => network.close());
  await network.toHere({ host: "10.96.0.1", port: 443 }, server.port);
  await network.toHere({ host: NODE, port: DATABASE }, postgres.port);
  await network.toHere({ host: NODE, port: BUCKET }, Number(new URL(s3.endpoint).port));
  await network.toHere({ host: NODE, port: WEB }, web);
  await network.name("web.test", NODE);
  return { cluster, network, server, place: s3.place.replace(s3.endpoint, `http://${NODE}:${BUCKET}`) };
}

async function startWeb(cleanUp: (() => unknown)[]): Promise<number> {
  const web = createServer((_, response) => response.end("from the web\n")).listen(0, "127.0.0.1");
  await once(web, "listening");
  cleanUp.push(() => web.close());
  return (web.address() as AddressInfo).port;
}

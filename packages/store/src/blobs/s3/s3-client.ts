import { Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client } from "@aws-sdk/client-s3";
import type { S3Place } from "./s3-place.ts";

/** The proxies of the operator; null: none. */
export interface Proxies {
  httpsProxy: string | null;
  httpProxy: string | null;
  noProxy: readonly string[];
}

/** How often the SDK tries a request that failed for a reason that passes, such as `SlowDown`, with growing waits between. */
const MAX_ATTEMPTS = 5;

/** A connection on which nothing comes for as long is given up. S3 takes its time to put a large object together. */
const SILENCE_MS = 30_000;
const CONNECT_MS = 5_000;
const CONNECTIONS = 64;

/** Credentials come from where the AWS SDK finds them, and are read again when they expire. */
export function createS3Client(
  { endpoint, region }: S3Place,
  proxies: Proxies,
  silenceMs = SILENCE_MS,
): S3Client {
  const options = { keepAlive: true, maxSockets: CONNECTIONS, proxyEnv: proxyVariables(proxies) };
  return new S3Client({
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(region === null && endpoint === null ? {} : { region: region ?? "us-east-1" }),
    maxAttempts: MAX_ATTEMPTS,
    // Not every server knows the SDK's own checksums. Berth sends MD5, and reads what it stored by SHA-256.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: silenceMs,
      httpAgent: new Agent(options),
      httpsAgent: new HttpsAgent(options),
    },
  });
}

function proxyVariables({ httpsProxy, httpProxy, noProxy }: Proxies): Record<string, string> {
  return {
    ...(httpsProxy === null ? {} : { HTTPS_PROXY: httpsProxy }),
    ...(httpProxy === null ? {} : { HTTP_PROXY: httpProxy }),
    NO_PROXY: noProxy.join(","),
  };
}

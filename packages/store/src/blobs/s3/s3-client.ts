import { Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client } from "@aws-sdk/client-s3";
import type { S3Place } from "./s3-place.ts";

/** The operator's proxies; null for none. */
export interface Proxies {
  httpsProxy: string | null;
  httpProxy: string | null;
  noProxy: readonly string[];
}

/**
 * Maximum number of attempts of the SDK for a request that fails temporarily, such as with `SlowDown`. It
 * waits longer before each attempt.
 */
const MAX_ATTEMPTS = 5;

/**
 * Milliseconds of silence after which a connection is given up. S3 takes a while to assemble a large object.
 */
const SILENCE_MS = 30_000;
const CONNECT_MS = 5_000;
const CONNECTIONS = 64;

/** Creates a client. The AWS SDK finds the credentials, and reads them again when they expire. */
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
    // Not every server supports the SDK's checksums. Berth sends MD5, and checks what it reads by SHA-256.
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

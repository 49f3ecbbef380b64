import type { S3Place } from "./s3-place.ts";

/** The known facts about a failed S3 request. */
export interface Failure {
  /** The error code of S3, of the SDK or of the system. */
  code: string;
  /** HTTP status of the response; null when there was none. */
  status: number | null;
}

/**
 * Extracts the failure without any part of the request: its headers contain the signature, and its body may
 * be confidential.
 */
export function failureOf(error: unknown): Failure {
  const { name, code, Code, $metadata } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    Code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  const known = [Code, code, name].find((one): one is string => typeof one === "string" && one !== "Error");
  return { code: known ?? "UnknownError", status: $metadata?.httpStatusCode ?? null };
}

/** Describes a failure in one sentence for the operator. */
export function s3Fault({ bucket, endpoint, region }: S3Place, { code, status }: Failure): string {
  const place = endpoint ?? "AWS";
  if (CREDENTIALS_MISSING.test(code))
    return "There are no credentials for S3. The AWS SDK looks for them in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), in its files and in the machine's role.";
  if (CREDENTIALS_REFUSED.has(code)) return `S3 at ${place} refuses the credentials (${code}).`;
  if (code === "RequestTimeTooSkewed")
    return `This machine's clock differs too much from the clock of S3 at ${place}: set it by NTP.`;
  if (code === "NoSuchBucket") return `There is no bucket '${bucket}' at ${place}.`;
  if (WRONG_REGION.has(code) || status === 301 || status === 307)
    return `The bucket '${bucket}' is in another region than '${region ?? "that of the AWS SDK's settings"}': name its region in BERTH_BLOBS.`;
  if (code === "NoRegionError" || code === "ConfigError")
    return `No region is set for the bucket '${bucket}': name it in BERTH_BLOBS by '?region='.`;
  if (code === "AccessDenied" || status === 403)
    return `The credentials do not permit what Berth does in the bucket '${bucket}' (${code}).`;
  if (status === 503 || status === 429 || status === 500)
    return `S3 at ${place} is busy or failing (${code}).`;
  if (status === null) return `S3 at ${place} cannot be reached (${code}).`;
  return `S3 at ${place} rejected Berth's request (${code}, status ${status}).`;
}

const CREDENTIALS_MISSING = /^(CredentialsProviderError|ProviderError|TokenProviderError)$/;

const CREDENTIALS_REFUSED: ReadonlySet<string> = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
]);

const WRONG_REGION: ReadonlySet<string> = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "TemporaryRedirect",
]);

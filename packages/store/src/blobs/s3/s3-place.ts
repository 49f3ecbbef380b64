/** A bucket and the part of it that Berth uses. */
export interface S3Place {
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  /** URL of the S3 server; null for AWS. */
  endpoint: string | null;
  /** Null to let the AWS SDK find it. */
  region: string | null;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{0,200}$/;
const REGION = /^[a-z0-9-]{1,63}$/;

/** Returns whether `BERTH_BLOBS` names a bucket. */
export function isS3Place(text: string): boolean {
  return text.startsWith("s3:");
}

/**
 * Parses `s3://bucket/prefix?endpoint=…&region=…`.
 * @throws an error whose message is a clause for the operator; it quotes no URL that contains credentials.
 */
export function parseS3Place(text: string): S3Place {
  const url = URL.parse(text);
  if (url === null || !text.startsWith("s3://"))
    throw new Error("must have the form s3://bucket/prefix?endpoint=https://host&region=name");
  if (url.username !== "" || url.password !== "" || /[^/]@/.test(text))
    throw new Error(
      "must not contain credentials: the AWS SDK finds them in the environment, in its files or in the machine's role",
    );
  if (!BUCKET.test(url.host)) throw new Error(`must name a bucket, and '${url.host}' is not a bucket's name`);
  const unknown = [...url.searchParams.keys()].find((key) => key !== "endpoint" && key !== "region");
  if (unknown !== undefined || url.hash !== "")
    throw new Error("takes only the parameters 'endpoint' and 'region'");
  return {
    bucket: url.host,
    prefix: prefixOf(url.pathname),
    endpoint: endpointOf(url.searchParams.get("endpoint")),
    region: regionOf(url.searchParams.get("region")),
  };
}

function prefixOf(path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  if (!PREFIX.test(path) || names.some((name) => name === "." || name === ".."))
    throw new Error("must have a prefix of letters, digits and the characters !_.*'()-/");
  return names.map((name) => `${name}/`).join("");
}

function endpointOf(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error("must have an endpoint that is an http or https URL with nothing after the host and port");
}

function regionOf(text: string | null): string | null {
  if (text === null || REGION.test(text)) return text;
  throw new Error("must have a region such as eu-central-1");
}

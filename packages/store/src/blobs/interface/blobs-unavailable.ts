/**
 * Thrown when the store of contents does not respond or rejects the service. The message is one sentence for
 * the operator. A retry may succeed.
 */
export class BlobsUnavailableError extends Error {
  override readonly name = "BlobsUnavailableError";
}

import { APIError, AuthenticationError, PermissionError } from "@berth/sdk";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";

/**
 * Has the service check the result of a document. The service reports the first error, and the contract the
 * others. The contract alone decides nothing, since the service may have another version.
 * @param sent Body of the request.
 * @param ask Sends the request as a dry run.
 */
export async function checked<Result>(
  document: ObjectDocument,
  verb: "create" | "update",
  sent: unknown,
  ask: () => Promise<Result>,
): Promise<Result | Fault[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof APIError) || !isAboutDocument(error)) throw error;
    const { contractErrors } = await import("./contract-faults.ts");
    const others = contractErrors(document.kind, verb, sent).filter(({ param }) => param !== error.param);
    return [{ param: error.param, message: error.message }, ...others].map(({ param, message }) =>
      document.fault(param, message),
    );
  }
}

/**
 * Checks a document with the contract alone, when the object that it will be a part of does not exist yet.
 */
export async function checkedByContract(document: ObjectDocument, sent: unknown): Promise<Fault[]> {
  const { contractErrors } = await import("./contract-faults.ts");
  return contractErrors(document.kind, "create", sent).map(({ param, message }) =>
    document.fault(param, message),
  );
}

/** Header of a request that is only checked. */
export const DRY_RUN = { "berth-dry-run": "true" };

/** Returns whether the service examined the document and rejected it. */
function isAboutDocument(error: APIError): boolean {
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429;
  return isRefused && !(error instanceof AuthenticationError) && !(error instanceof PermissionError);
}

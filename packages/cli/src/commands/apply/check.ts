import { APIError, AuthenticationError, PermissionError } from "@berth/sdk";
import type { ObjectDocument } from "./documents.ts";
import type { Fault } from "./faults.ts";

/**
 * Has the service check what a document becomes. The service names the first error; the contract finds the others. It
 * decides nothing by itself, since the service can be of another version.
 *
 * @param ask sends the request as a dry run
 * @param sent its body
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

/** What can be said about a document without the service, which has not got yet what the object will be a part of. */
export async function checkedByContract(document: ObjectDocument, sent: unknown): Promise<Fault[]> {
  const { contractErrors } = await import("./contract-faults.ts");
  return contractErrors(document.kind, "create", sent).map(({ param, message }) =>
    document.fault(param, message),
  );
}

/** The header of a request that is only to be checked. */
export const DRY_RUN = { "berth-dry-run": "true" };

/** Whether the service examined the document and refused it. */
function isAboutDocument(error: APIError): boolean {
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429;
  return isRefused && !(error instanceof AuthenticationError) && !(error instanceof PermissionError);
}

import {
  createServiceAccountToken,
  createTokenFor,
  type ServiceAccountTokenFor,
  type TokenFor,
} from "../features/tokens/create-token-for.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";

/** Creates a token, with its user, organization or service account where missing, and returns its secret. */
export async function createOperatorToken(
  options: Omit<TokenFor, "db"> | Omit<ServiceAccountTokenFor, "db">,
  flags: InstallationFlags = {},
): Promise<string> {
  return await asOperator(flags, (db) =>
    "serviceAccount" in options
      ? createServiceAccountToken({ ...options, db })
      : createTokenFor({ ...options, db }),
  );
}

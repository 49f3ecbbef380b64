export { isBeingErased } from "./access/being-erased-store.ts";
export { findOperator, type Operator, touchOperatorToken } from "./access/operator-store.ts";
export {
  type ArchivedFilter,
  accessCondition,
  branchesOfValues,
  type OwnedRow,
  ownedFields,
  ownedList,
  ownerBranches,
  selectAccessible,
  unlessArchived,
} from "./access/owned-rows.ts";
export { canAccess, hasScope, type Owner, ownerOf, type Principal } from "./access/principal.ts";
export { RecentTokens } from "./access/recent-tokens.ts";
export { type Reference, type ReferenceCheck, References } from "./access/references.ts";
export {
  checkAccess,
  checkNotArchived,
  requireAccess,
  requireAccessForUpdate,
  requireFound,
} from "./access/require-access.ts";
export {
  isOperatorSecret,
  isSignInSecret,
  isTokenSecret,
  newTokenSecret,
  type TokenKind,
  tokenHash,
} from "./access/token-secret.ts";
export { findToken, touchToken } from "./access/token-store.ts";
export { createTokenWatch, type TokenWatch } from "./access/token-watch.ts";

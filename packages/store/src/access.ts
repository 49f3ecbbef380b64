export { type Administrator, checkAdministered, checkAdministers } from "./access/administrator.ts";
export { isBeingErased } from "./access/being-erased-store.ts";
export { ownerAskedFor, requireMayChange } from "./access/for-all-members.ts";
export { checkNotLastAdmin } from "./access/last-admin-store.ts";
export { findOperator, type Operator, touchOperatorToken } from "./access/operator-store.ts";
export {
  type AccessFilter,
  type ArchivedFilter,
  accessCondition,
  accessibleBranches,
  branchesOfValues,
  canRead,
  type OwnedRow,
  ownCondition,
  ownedFields,
  ownedList,
  ownerBranches,
  ownerFields,
  selectAccessible,
  splitBranches,
  unlessArchived,
} from "./access/owned-rows.ts";
export {
  hasScope,
  isOwn,
  type Owner,
  ownedBy,
  ownerOf,
  type Principal,
  SHARED_COLUMNS,
  type SharedRow,
  visibilityOf,
} from "./access/principal.ts";
export { RecentTokens } from "./access/recent-tokens.ts";
export { type Reference, type ReferenceCheck, References } from "./access/references.ts";
export {
  accessTo,
  type CheckedRow,
  checkAccess,
  checkNotArchived,
  type RequireAccess,
  requireAccess,
  requireAccessForUpdate,
  requireFound,
} from "./access/require-access.ts";
export {
  deleteShare,
  ownerEmail,
  putShare,
  selectShares,
  type UserShare,
} from "./access/share-store.ts";
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

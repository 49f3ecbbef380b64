import type { Requirement } from "./requirement.ts";

export const idempotencyRequirements: readonly Requirement[] = [
  {
    id: "idempotency-replay",
    source: "api 2",
    rule: "A POST, an upload or a DELETE sent again with its Idempotency-Key is done once and answered byte for byte as before, with idempotency-replayed: true; a refusal too. Keys belong to a principal.",
  },
  {
    id: "idempotency-reused",
    source: "seed 4.7, api 2",
    rule: "A key with another body, method or path is 409 conflict_error.",
  },
  {
    id: "idempotency-parallel",
    source: "api 2",
    rule: "Of 32 callers with one key at once one does the work; the others get its answer, or 409 conflict_error with retry-after and without x-should-retry: false.",
  },
  {
    id: "beta-gate",
    source: "seed 7.1, api 2",
    rule: "A beta feature that the header berth-beta does not activate is 501 feature_not_available with feature and available_from and without message; outdated and unknown identifiers activate nothing and are no fault.",
  },
];

import type { Requirement } from "./requirement.ts";

export const idempotencyRequirements: readonly Requirement[] = [
  {
    id: "idempotency-replay",
    source: "api 2",
    rule: "A POST, an upload or a DELETE that is repeated with its Idempotency-Key runs once, and the repetition returns the same bytes with idempotency-replayed: true, also for a rejected request.",
  },
  {
    id: "idempotency-token",
    source: "api 2",
    rule: "A key belongs to the token that sent it: another token of the same user neither receives its response nor is bound by its refusal, and a refusal for lack of permission is not kept.",
  },
  {
    id: "idempotency-reused",
    source: "seed 4.7, api 2",
    rule: "A key that is reused with another body, method or path is rejected with 409 conflict_error.",
  },
  {
    id: "idempotency-parallel",
    source: "api 2",
    rule: "Of 32 concurrent requests with one key one runs; the others receive its response, or 409 conflict_error with retry-after and without x-should-retry: false.",
  },
  {
    id: "beta-gate",
    source: "seed 7.1, api 2",
    rule: "A beta feature that the berth-beta header does not activate is 501 feature_not_available with feature and available_from and without message; outdated and unknown identifiers activate nothing and are no error.",
  },
];

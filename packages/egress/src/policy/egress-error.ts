/** Thrown when an option or a policy is invalid, or no network namespace can be made. */
export class EgressError extends Error {
  override readonly name = "EgressError";
}

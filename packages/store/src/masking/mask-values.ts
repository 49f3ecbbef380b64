import { SecretMask } from "./secret-mask.ts";

/** Masks the values of an environment's variables in the output of one of its scripts. */
export function maskValues(text: string, variables: Readonly<Record<string, string>>): string {
  const { add, mask } = new SecretMask();
  for (const value of Object.values(variables)) add(value);
  return mask(text);
}

import { MAX_PORTABLE_DESCRIPTION } from "@berth/contract";

/** Returns warnings about a `SKILL.md` that other clients of the format may reject. */
export function skillWarnings({ description }: { description: string }): string[] {
  const { length } = description;
  if (length <= MAX_PORTABLE_DESCRIPTION) return [];
  return [
    `The description has ${length} characters. The format allows ${MAX_PORTABLE_DESCRIPTION}, and other clients may reject or cut it.`,
  ];
}

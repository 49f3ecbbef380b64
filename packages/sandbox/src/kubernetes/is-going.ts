/** Returns whether an object is being deleted. It remains until nothing uses it. */
export function isGoing({ metadata }: { metadata?: { deletionTimestamp?: unknown } }): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

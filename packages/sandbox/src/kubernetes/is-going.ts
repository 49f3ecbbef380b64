/** Whether an object is being deleted: it is there until nothing holds it any more. */
export function isGoing({ metadata }: { metadata?: { deletionTimestamp?: unknown } }): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

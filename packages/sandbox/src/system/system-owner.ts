/**
 * Host ids that own a system tree and its layers, as root and the other users of a user namespace see them. They are nobody
 * else's: the disks of sessions have uids below them.
 */
export const systemIds = { first: 400_000, count: 65_536 } as const;

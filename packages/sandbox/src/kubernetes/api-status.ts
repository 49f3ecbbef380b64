/** Lets an error of the API server with one of these statuses pass as no error. */
export function unless(...statuses: number[]): (error: unknown) => void {
  return (error) => {
    if (!statuses.some((status) => isStatus(error, status))) throw error;
  };
}

/** For a read of what may not be there. */
export function orNull(error: unknown): null {
  if (isStatus(error, 404)) return null;
  throw error;
}

/** Whether the API server answered with this status. */
export function isStatus(error: unknown, status: number): boolean {
  return (error as { code?: unknown }).code === status;
}

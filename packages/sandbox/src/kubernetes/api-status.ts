/** A request that the API server rejected, with the server's message. */
export class ApiError extends Error {
  /** HTTP status of the response. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Converts the client's error, whose message quotes the whole response, to an `ApiError`. Returns other
 * errors unchanged.
 */
export function plainError(error: unknown): unknown {
  const { code, body } = error as { code?: unknown; body?: unknown };
  if (typeof code !== "number") return error;
  return new ApiError(code, messageIn(body) ?? `the API server answered ${code}`);
}

function messageIn(body: unknown): string | null {
  try {
    const { message } = typeof body === "string" ? JSON.parse(body) : (body as { message?: unknown });
    return typeof message === "string" && message !== "" ? message : null;
  } catch {
    return null;
  }
}

/** Returns an error handler that ignores errors of the API server with one of these statuses. */
export function unless(...statuses: number[]): (error: unknown) => void {
  return (error) => {
    if (!statuses.some((status) => isStatus(error, status))) throw error;
  };
}

/** Converts a 404 to null, for reads of objects that may not exist. */
export function orNull(error: unknown): null {
  if (isStatus(error, 404)) return null;
  throw error;
}

/** Returns whether the API server responded with this status. */
export function isStatus(error: unknown, status: number): boolean {
  return (error as { code?: unknown }).code === status;
}

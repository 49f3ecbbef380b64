/** What the API server refused, in its own words. */
export class ApiError extends Error {
  /** The status of its answer. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The client's errors quote all that was answered, with what differs each time. Others are as they were. */
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

/**
 * The database could not be asked, or broke off while it answered: gone, restarting, full, or too slow.
 *
 * Asking again later may work. A write that failed so may have been applied or not: the answer got lost, not
 * necessarily the write, so it is repeated only where that is harmless.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  readonly retryable = true;
}

/** SQLSTATE classes and codes that speak of the server or the connection, not of the statement. */
const UNAVAILABLE_CODE =
  /^(08...|53...|57P0[1-5]|57014|58...|XX001|E(CONN|PIPE|TIMEDOUT|NOENT|HOSTUNREACH|NETUNREACH|AI_).*)$/;
const UNAVAILABLE_MESSAGE =
  /connection terminated|connection timeout|timeout expired|timeout exceeded|query read timeout|not queryable|connection error/i;

/** The same error, or a {@link DatabaseUnavailableError} around it when the server or the connection failed. */
export function databaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error;
  const { code } = error as { code?: string };
  const unavailable =
    code === undefined ? UNAVAILABLE_MESSAGE.test(error.message) : UNAVAILABLE_CODE.test(code);
  return unavailable
    ? new DatabaseUnavailableError(`The database is not available: ${error.message}`, { cause: error })
    : error;
}

/** True when a connection was refused before anything was asked, by a server that is away or still starting. */
export function isStarting(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "57P03" || code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET";
}

/** True for a row that is not deleted because another refers to it by the named constraint. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  const refusal = error as { code?: string; constraint?: string };
  return refusal?.code === "23503" && refusal.constraint === constraint;
}

/** True for a row that a unique index refused; with `constraint`, only for that index or constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const refusal = error as { code?: string; constraint?: string };
  return refusal?.code === "23505" && (constraint === undefined || refusal.constraint === constraint);
}

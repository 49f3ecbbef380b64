/**
 * Thrown when the database could not be reached or lost the connection: it is down, restarting, full or too
 * slow. Also thrown when it rejects the service's user, password or database name.
 *
 * A retry may succeed. A write that failed this way may or may not have been applied, so retry it only where
 * repeating it is harmless.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
  readonly retryable = true;
}

/** SQLSTATE codes for a rejected user or password, and for a database that does not exist. */
const REFUSED_CODE = /^(28...|3D000)$/;
/** Messages for a missing password, and for a server that does not prove that it knows the password. */
const REFUSED_MESSAGE = /^SASL: /;
const NO_PASSWORD = /client password must be a/;

/** SQLSTATE code of a server that accepts no writes: it is a standby, or its operator made it read-only. */
const READ_ONLY_CODE = "25006";

/** SQLSTATE classes and codes about the server or the connection rather than the statement. */
const UNAVAILABLE_CODE =
  /^(08...|25006|53...|57P0[1-5]|57014|58...|XX001|E(CONN|PIPE|TIMEDOUT|NOENT|NOTFOUND|HOSTUNREACH|NETUNREACH|AI_).*)$/;
const UNAVAILABLE_MESSAGE =
  /connection terminated|connection timeout|timeout expired|timeout exceeded|query read timeout|not queryable|connection error/i;

const CONNECT_TIMEOUT = /connection timeout|timeout expired|timeout exceeded/i;

/**
 * Message of a faulty statement whose code is that of a broken connection. Poolers use that code for
 * connections.
 */
const STATEMENT_MESSAGE = /^bind message supplies \d+ parameters?, but/;

/**
 * Returns the same error, or a {@link DatabaseUnavailableError} around it when the server or the connection
 * failed.
 */
export function databaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error;
  const { code } = error as { code?: string };
  if (isRefused(error)) {
    const why = NO_PASSWORD.test(error.message) ? "it asks for a password, and none is set" : error.message;
    return new DatabaseUnavailableError(`The database refuses this service: ${why}`, { cause: error });
  }
  if (STATEMENT_MESSAGE.test(error.message)) return error;
  const unavailable =
    code === undefined ? UNAVAILABLE_MESSAGE.test(error.message) : UNAVAILABLE_CODE.test(code);
  return unavailable
    ? new DatabaseUnavailableError(`The database is not available: ${error.message}`, { cause: error })
    : error;
}

/** Returns true when the server responded but rejects this user, password or database. */
export function isRefused(error: unknown): boolean {
  const { code, message = "" } = error as { code?: string; message?: string };
  return code === undefined ? REFUSED_MESSAGE.test(message) : REFUSED_CODE.test(code);
}

const STARTING_CODES = ["57P03", "ENOENT", "ECONNREFUSED", "ECONNRESET", READ_ONLY_CODE];

/**
 * Returns true when the connection failed before any statement of a caller was sent: the server is down,
 * still starting or not yet promoted.
 */
export function isStarting(error: unknown): boolean {
  return STARTING_CODES.includes((error as { code?: string }).code ?? "");
}

/** Returns true when no connection was made in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && CONNECT_TIMEOUT.test(error.message);
}

/**
 * Returns true when the server has announced that it closes the connection, which may stay open for a while.
 */
export function isClosing(error: unknown): boolean {
  const { cause } = error as { cause?: { severity?: string } };
  return error instanceof DatabaseUnavailableError && cause?.severity === "FATAL";
}

/** Returns true when a transaction did not get a lock in time, or was ended to resolve a deadlock. */
export function isLockRefused(error: unknown): boolean {
  return ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");
}

/** Returns true when a row cannot be deleted because another references it through the named constraint. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  const violation = error as { code?: string; constraint?: string };
  return violation?.code === "23503" && violation.constraint === constraint;
}

/**
 * Returns true when a row violates a unique index. With `constraint`, only that index or constraint counts.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const violation = error as { code?: string; constraint?: string };
  return violation?.code === "23505" && (constraint === undefined || violation.constraint === constraint);
}

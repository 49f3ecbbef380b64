import {
  APIError,
  AuthenticationError,
  BerthError,
  ConnectionError,
  PermissionError,
  TimeoutError,
  TLSError,
} from "@berth/sdk";
import { paletteFor } from "../terminal/palette.ts";
import { plainText } from "../terminal/plain-text.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { flagOf } from "./given-by.ts";

/** An error of the caller, printed as one sentence. The exit code is 2 unless another is given. */
export class UsageError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Prints an error to standard error and returns its exit code. An unexpected error is printed with its stack.
 */
export function printError(error: unknown): number {
  const { red, dim } = paletteFor(process.stderr);
  const [message, ...facts] = linesOf(error);
  process.stderr.write(
    `${[`${red("error:")} ${message}`, ...facts.map((fact) => dim(`  ${fact}`))].join("\n")}\n`,
  );
  return codeOf(error);
}

function linesOf(error: unknown): string[] {
  if (error instanceof APIError) {
    return [
      plainText(error.message),
      ...(error.type === null ? [] : [`type: ${error.type}`]),
      ...(error.param === null ? [] : [`field: ${error.param}${setBy(error)}`]),
      ...(error.requestId === null ? [] : [`request_id: ${error.requestId}`]),
    ].map(plainText);
  }
  if (error instanceof TLSError)
    return [
      plainText(error.message),
      ...(error.isUntrusted
        ? ["Name the certificate of its authority with --ca-file or BERTH_CA_FILE."]
        : []),
    ];
  if (error instanceof ConnectionError && !(error instanceof TimeoutError)) {
    return [plainText(error.message), "Is the service running, and is this its URL (--url, BERTH_URL)?"];
  }
  if (error instanceof BerthError || error instanceof UsageError) return [plainText(error.message)];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

function setBy(error: APIError): string {
  const flag = flagOf(error);
  return flag === null ? "" : `, set by ${flag}`;
}

function codeOf(error: unknown): number {
  if (error instanceof UsageError) return error.exitCode;
  if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT_CODES.notAllowed;
  return EXIT_CODES.failed;
}

import { AsyncLocalStorage } from "node:async_hooks";

/** A part of the process's work that may fail without ending the rest. */
export interface FaultScope {
  /**
   * Receives an error that the work threw and nobody caught: an exception or the reason of a rejected
   * promise.
   */
  fault(error: unknown): void;
}

const SCOPES = new AsyncLocalStorage<FaultScope | undefined>();

/** Runs `work`, and everything that it starts, in the scope. */
export function inFaultScope<T>(scope: FaultScope, work: () => T): T {
  return SCOPES.run(scope, work);
}

/** Runs `work` in no scope, because what it opens is shared by several scopes. */
export function outsideFaultScopes<T>(work: () => T): T {
  return SCOPES.exit(work);
}

/** The part of `process` that reports uncaught errors. */
export type FaultSource = Pick<NodeJS.Process, "on">;

/**
 * Installs handlers that pass each uncaught error to the scope in which it was thrown. Errors thrown in no
 * scope go to `others`, which should end the process.
 */
export function catchFaults(others: (error: unknown) => void, source: FaultSource = process): void {
  const onFault = (error: unknown) => {
    const scope = SCOPES.getStore();
    // Node would otherwise keep the thrower's context for later callbacks that have none of their own.
    SCOPES.enterWith(undefined);
    if (scope === undefined) others(error);
    else scope.fault(error);
  };
  source.on("uncaughtException", onFault);
  source.on("unhandledRejection", onFault);
}

import { AsyncLocalStorage } from "node:async_hooks";

/** Work of a process that may fail without taking the rest with it. */
export interface FaultScope {
  /** Told of what the work threw where nobody caught it: an exception, or the reason of a promise. */
  fault(error: unknown): void;
}

const SCOPES = new AsyncLocalStorage<FaultScope | undefined>();

/** Runs `work`, and all that it starts, in the scope. */
export function inFaultScope<T>(scope: FaultScope, work: () => T): T {
  return SCOPES.run(scope, work);
}

/** Runs `work` in no scope: what it opens is shared. */
export function outsideFaultScopes<T>(work: () => T): T {
  return SCOPES.exit(work);
}

/** What of a process tells what nobody caught. */
export type FaultSource = Pick<NodeJS.Process, "on">;

/**
 * From now on, what nobody caught ends the scope in which it was thrown. What was thrown in none goes to `others`, which should end the
 * process.
 */
export function catchFaults(others: (error: unknown) => void, source: FaultSource = process): void {
  const onFault = (error: unknown) => {
    const scope = SCOPES.getStore();
    // Node keeps the context of what threw for the callbacks that follow and have none of their own.
    SCOPES.enterWith(undefined);
    if (scope === undefined) others(error);
    else scope.fault(error);
  };
  source.on("uncaughtException", onFault);
  source.on("unhandledRejection", onFault);
}

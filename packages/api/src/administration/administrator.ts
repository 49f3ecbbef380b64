import type { Operator } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import type { DefaultLimits, RetentionDays } from "@berth/store/names";
import type { RequestScope } from "../request/request-scope.ts";
import type { Subject } from "./subject.ts";

/** A request with an operator token. */
export type OperatorRequest = RequestScope<Operator>;

/** Settings of the installation that administration needs. */
export interface AdministeredSettings {
  /** Days after which old data is deleted, for organizations without values of their own. */
  retention: RetentionDays;
  /** Seconds within which a host must have been seen to count as online. */
  hostGraceSeconds: number;
  /** Limits for organizations and users without values of their own. */
  limits: DefaultLimits;
  /** Id of the host whose settings those of the other hosts are compared with. */
  hostId: string;
  /** Returns the installation's key for hashing user codes. */
  userCodeKey: () => Uint8Array;
}

/** Who administers: a command on the machine, or a request with an operator token. */
export interface Administrator {
  read<T>(work: (db: DatabaseAccess, settings: AdministeredSettings) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction and writes its entry in the audit log.
   *
   * @param command as it is written on the command line.
   * @param about returns the subject of the audit entry.
   */
  change<T>(
    command: string,
    work: (db: DatabaseAccess, settings: AdministeredSettings) => Promise<T>,
    about: (result: T) => Subject,
  ): Promise<T>;
}

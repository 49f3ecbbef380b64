import type { DatabaseAccess } from "@berth/store/db";
import type { DefaultLimits, RetentionDays } from "@berth/store/names";
import type { Subject } from "./subject.ts";

/** What administration needs to know of the installation. */
export interface AdministeredSettings {
  /** For how many days what is old is kept, of organizations that have no own ones. */
  retention: RetentionDays;
  /** A host that was seen within this time is there. */
  hostGraceSeconds: number;
  /** Of organizations and users that have no own ones. */
  limits: DefaultLimits;
  /** The host with whose settings those of the others are compared. */
  hostId: string;
  /** The installation's key of user codes. */
  userCodeKey: () => Uint8Array;
}

/** Who administers, and by which way: on the machine, or by a request with an operator token. */
export interface Administrator {
  read<T>(work: (db: DatabaseAccess, settings: AdministeredSettings) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction with its entry in the audit log.
   *
   * @param command as the command on the machine is written.
   * @param about what was changed.
   */
  change<T>(
    command: string,
    work: (db: DatabaseAccess, settings: AdministeredSettings) => Promise<T>,
    about: (result: T) => Subject,
  ): Promise<T>;
}

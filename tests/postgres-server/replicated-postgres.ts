import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { PostgresNode } from "./postgres-node.ts";
import { USER } from "./postgres-server.ts";

const STANDBY = "standby";

/** A primary, and a standby that receives each commit before it is acknowledged. */
export class ReplicatedPostgres {
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;

  private constructor(primary: PostgresNode, standby: PostgresNode) {
    this.primary = primary;
    this.standby = standby;
  }

  /**
   * Starts both servers. @param connections the `max_connections` of each server; three of them are reserved.
   */
  static async start({
    databases,
    connections = 100,
  }: {
    databases: readonly string[];
    connections?: number;
  }): Promise<ReplicatedPostgres> {
    // The standby's interval for reconnecting to a lost primary; five seconds by default.
    const both = { max_connections: connections, wal_retrieve_retry_interval: "100ms" };
    const primary = await PostgresNode.create({ ...both, synchronous_standby_names: STANDBY });
    const standby = await PostgresNode.create(both);
    const pair = new ReplicatedPostgres(primary, standby);
    try {
      await primary.initialize();
      await primary.start();
      await standby.follow(primary, STANDBY);
      await standby.start();
      await pair.inStep();
      for (const name of databases) await primary.ask(`create database ${name}`);
      return pair;
    } catch (error) {
      await pair.remove();
      throw error;
    }
  }

  /** Returns a URL with both servers as hosts, in the given order. */
  url(database: string, nodes: readonly PostgresNode[] = [this.primary, this.standby]): string {
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://${USER}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  /** Resolves when commits wait for the standby again, and it has caught up. */
  async inStep(): Promise<void> {
    const text = "select sync_state, flush_lsn >= pg_current_wal_flush_lsn() from pg_stat_replication";
    await waitUntil(
      async () => (await this.primary.ask(text)) === "sync|t",
      () => "the standby does not follow",
    );
  }

  /** Kills the primary, as if its machine were lost, and promotes the standby. */
  async failOver(): Promise<void> {
    await this.primary.kill();
    await this.standby.promote();
  }

  async remove(): Promise<void> {
    await Promise.all([this.standby.remove(), this.primary.remove()]);
  }
}

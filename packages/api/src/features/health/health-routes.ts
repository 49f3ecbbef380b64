import { type Health, type HealthCheck, type HealthHost, healthRoutes } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import manifest from "../../../package.json" with { type: "json" };
import type { HttpApp } from "../../http/http-app.ts";
import type { Measured } from "../../http/installation-gauges.ts";
import { mount } from "../../http/mount.ts";
import { readDisks } from "./disks-store.ts";
import type { ServiceFault } from "./probe-routes.ts";

/** Sources of the health report. */
export interface InstallationReports {
  /** Returns why the service runs no sessions at present; null when it does. */
  fault(): ServiceFault | null | Promise<ServiceFault | null>;
  checks(): Promise<HealthCheck[]>;
  hosts(): Promise<HealthHost[]>;
  measure(): Promise<Measured>;
}

export function mountInstallationHealth(app: HttpApp, reports: InstallationReports): void {
  mount(app, healthRoutes.get, async ({ principal, db }) => {
    if (principal.role !== "admin") throw errors.adminsOnly("see the health of the installation");
    return await healthOf(reports, db);
  });
}

async function healthOf(reports: InstallationReports, db: DatabaseAccess): Promise<Health> {
  const [fault, checks, hosts, { database, disk }, disks] = await Promise.all([
    reports.fault(),
    reports.checks(),
    reports.hosts(),
    reports.measure(),
    readDisks(db.read),
  ]);
  if (database === null) throw new Error("The database did not count its sessions in time.");
  const count = (status: string) =>
    database.sessionsByStatus.find((one) => one.status === status)?.count ?? 0;
  return {
    type: "health",
    version: manifest.version,
    ready: fault === null,
    fault,
    checks,
    hosts,
    sessions: {
      idle: count("idle"),
      running: count("running"),
      rescheduling: count("rescheduling"),
      terminated: count("terminated"),
      due: database.due.count,
      due_seconds: database.due.seconds,
      set_aside: database.setAside,
    },
    disk: disk && { size_bytes: disk.size, free_bytes: disk.free },
    database_bytes: database.bytes,
    ...disks,
  };
}

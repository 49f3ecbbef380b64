import { z } from "zod";
import { timestamp } from "./fields.ts";

/** The fields of a host that an installation shows to its admins and to its operator. */
export const hostFields = {
  id: z.string().meta({ description: "Id of the host, as in `berth admin hosts list`." }),
  name: z.string().nullable().meta({
    description:
      "Name of its machine. Null, like the fields that follow, for a service that was never seen but has disks of sessions.",
  }),
  version: z.string().nullable(),
  role: z.enum(["all", "api", "runner"]).nullable().meta({
    description: "What the service does: everything, only the API, or only running sessions.",
  }),
  capacity: z
    .int()
    .nullable()
    .meta({ description: "Maximum number of turns at once; 0 for a service that only serves the API." }),
  seen_at: timestamp
    .nullable()
    .meta({ description: "When it last looked for work, or, if it only serves the API, last reported." }),
  draining: z.boolean().meta({ description: "Whether it takes no new sessions." }),
  sessions: z.int().meta({ description: "Number of sessions whose disk it has." }),
  deleted_sessions: z
    .int()
    .meta({ description: "Number of deleted sessions whose disk it still has to remove." }),
  other_settings: z.array(z.string()).meta({
    description: "Names of settings that affect sessions and differ from those of the responding service.",
  }),
};

import { z } from "zod";
import { timestamp } from "./fields.ts";

/** The fields of a host that an installation shows to its admins and to its operator. */
export const hostFields = {
  id: z.string().meta({ description: "Of the installation, as in `berth admin hosts list`." }),
  name: z.string().nullable().meta({ description: "Of its machine." }),
  version: z.string().nullable().meta({
    description: "Null, as what follows, for a service that was never seen, of which sessions have disks.",
  }),
  role: z.enum(["all", "api", "runner"]).nullable().meta({
    description:
      "What it does: everything, the API alone, or running sessions alone. Null: it was never seen, or runs a version without roles, which does everything.",
  }),
  capacity: z.int().nullable().meta({ description: "Turns at once; 0 of an API alone." }),
  seen_at: timestamp
    .nullable()
    .meta({ description: "When it last looked for work, or as an API alone said that it is there." }),
  draining: z.boolean().meta({ description: "Whether it takes no new sessions." }),
  sessions: z.int().meta({ description: "Sessions whose disk it has." }),
  deleted_sessions: z.int().meta({ description: "Deleted sessions whose disk it still has to remove." }),
  other_settings: z.array(z.string()).meta({
    description:
      "Names of settings that decide what sessions get, with another value than at the answering service.",
  }),
};

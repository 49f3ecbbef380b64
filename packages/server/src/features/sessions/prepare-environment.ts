import { uuidOrNil } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import { type EnvironmentRow, getEnvironment } from "../environments/environment-store.ts";
import type { Prepared } from "../session-resources/prepared.ts";

/** The environment of a new session. */
export function prepareEnvironment(id: string): Prepared & { row(): EnvironmentRow } {
  let found: EnvironmentRow | null = null;
  const row = () => {
    if (found === null) throw new Error("The environment was not looked for.");
    return found;
  };
  return {
    async find(db) {
      found = await getEnvironment(db, uuidOrNil("environment", id));
      if (found === null) throw errors.notFound("environment", id);
    },
    reach(principal) {
      if (!reaches(principal, row())) throw errors.notYours("environment", id);
    },
    checkState() {
      if (row().archived_at !== null) throw errors.archived("environment", id);
    },
    row,
  };
}

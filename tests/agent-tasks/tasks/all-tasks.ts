import type { Task } from "../frame/task.ts";
import { BEYOND_GREP } from "./beyond-grep.ts";
import { BINARY_FILE } from "./binary-file.ts";
import { CHANGED_BY_COMMAND } from "./changed-by-command.ts";
import { CHANGED_BY_FORMATTER } from "./changed-by-formatter.ts";
import { CHANGED_BY_USER } from "./changed-by-user.ts";
import { EDIT_BEYOND_CUT } from "./edit-beyond-cut.ts";
import { END_OF_FILE } from "./end-of-file.ts";
import { FIRST_TASK } from "./first-task.ts";
import { LINE_ENDS } from "./line-ends.ts";
import { MIDDLE_OF_OUTPUT } from "./middle-of-output.ts";
import { TOTALS_OF_RUN } from "./totals-of-run.ts";
import { TWO_READS } from "./two-reads.ts";

export const TASKS: readonly Task[] = [
  END_OF_FILE,
  EDIT_BEYOND_CUT,
  TWO_READS,
  LINE_ENDS,
  BINARY_FILE,
  MIDDLE_OF_OUTPUT,
  TOTALS_OF_RUN,
  BEYOND_GREP,
  CHANGED_BY_COMMAND,
  CHANGED_BY_FORMATTER,
  CHANGED_BY_USER,
  FIRST_TASK,
];

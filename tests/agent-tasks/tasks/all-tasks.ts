import type { Task } from "../frame/task.ts";
import { ATTACHED_TEXT } from "./attached-text.ts";
import { BEYOND_GREP } from "./beyond-grep.ts";
import { BINARY_FILE } from "./binary-file.ts";
import { CHANGED_BY_COMMAND } from "./changed-by-command.ts";
import { CHANGED_BY_FORMATTER } from "./changed-by-formatter.ts";
import { CHANGED_BY_USER } from "./changed-by-user.ts";
import { EDIT_BEYOND_CUT } from "./edit-beyond-cut.ts";
import { END_OF_FILE } from "./end-of-file.ts";
import { FIRST_FAILURE } from "./first-failure.ts";
import { FIRST_TASK } from "./first-task.ts";
import { IDLE_SUMMARY } from "./idle-summary.ts";
import { KILLED } from "./killed.ts";
import { LARGE_FILE } from "./large-file.ts";
import { LARGE_ROUND } from "./large-round.ts";
import { LINE_ENDS } from "./line-ends.ts";
import { LONG_LINE } from "./long-line.ts";
import { LONG_MEMORY } from "./long-memory.ts";
import { MANY_NAMES } from "./many-names.ts";
import { MIDDLE_OF_OUTPUT } from "./middle-of-output.ts";
import { NAME_TOLD_ONCE } from "./name-told-once.ts";
import { NEWEST_RESULT } from "./newest-result.ts";
import { PLACE_OF_CUT } from "./place-of-cut.ts";
import { READ_AGAIN } from "./read-again.ts";
import { SECOND_TURN } from "./second-turn.ts";
import { SHELL_STATE } from "./shell-state.ts";
import { TOTALS_OF_RUN } from "./totals-of-run.ts";
import { TWO_READS } from "./two-reads.ts";
import { UNCHANGED_FILE } from "./unchanged-file.ts";
import { WORKING_DIRECTORY } from "./working-directory.ts";

/** All tasks, the longest first, so that they run beside the others. */
export const TASKS: readonly Task[] = [
  IDLE_SUMMARY,
  KILLED,
  END_OF_FILE,
  LARGE_FILE,
  EDIT_BEYOND_CUT,
  TWO_READS,
  LONG_LINE,
  LINE_ENDS,
  BINARY_FILE,
  UNCHANGED_FILE,
  MIDDLE_OF_OUTPUT,
  PLACE_OF_CUT,
  TOTALS_OF_RUN,
  FIRST_FAILURE,
  BEYOND_GREP,
  MANY_NAMES,
  LONG_MEMORY,
  CHANGED_BY_COMMAND,
  CHANGED_BY_FORMATTER,
  CHANGED_BY_USER,
  LARGE_ROUND,
  READ_AGAIN,
  FIRST_TASK,
  SECOND_TURN,
  NAME_TOLD_ONCE,
  ATTACHED_TEXT,
  NEWEST_RESULT,
  WORKING_DIRECTORY,
  SHELL_STATE,
];

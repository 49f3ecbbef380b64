import { PIPES_INSIDE } from "./pipes.ts";

/**
 * Process 1 of a sandbox, in POSIX shell. It reads requests `number verb argument …` and answers `number result`.
 * It never waits for a process that it has not killed, so nothing inside can stop it.
 *
 * - `run slot`: a fresh `sh` that reads its script from the slot. Answers its pid.
 * - `shell slot`: the same with `bash`.
 * - `signal NAME pid …`: sends the signal.
 * - `finish pid`: kills and reaps that child. Answers its exit status.
 * - `poll pid`: answers the exit status when that child is gone, else nothing. Reaps orphans on the way.
 *
 * It first closes the descriptors by which the network and user namespaces were entered.
 *
 * @param restoreSignals A background job of a shell ignores INT and QUIT, and its children inherit that; `env` undoes it.
 */
export function supervisorScript(restoreSignals: boolean): string {
  const start = `${restoreSignals ? "env --default-signal=INT,QUIT " : ""}setsid`;
  return `exec 5<&- 6<&-
cd / || exit 1
echo ready
while IFS=' ' read -r number verb first rest; do
  answer=
  case $verb in
  run)
    ${start} sh <"${PIPES_INSIDE}/$first.in" >"${PIPES_INSIDE}/$first.out" 2>&1 &
    answer=$! ;;
  shell)
    ${start} bash --noprofile --norc -s <"${PIPES_INSIDE}/$first.in" >"${PIPES_INSIDE}/$first.out" 2>&1 &
    answer=$! ;;
  signal)
    kill -s "$first" $rest 2>/dev/null ;;
  finish)
    kill -s KILL "$first" 2>/dev/null
    wait "$first" 2>/dev/null
    answer=$? ;;
  poll)
    ( : )
    if ! kill -s 0 "$first" 2>/dev/null; then
      wait "$first" 2>/dev/null
      answer=$?
    fi ;;
  esac
  echo "$number $answer"
done 2>/dev/null
`;
}

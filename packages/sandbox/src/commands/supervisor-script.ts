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
 * `command eval` keeps it alive when the limit of processes lets it start none; `jobs` then reaps orphans without
 * one, at the price of statuses. What it starts is killed before it is when memory runs out, and before anything else of the
 * host's. It first closes the descriptors by which the network and user namespaces were entered.
 *
 * @param restoreSignals A background job of a shell ignores INT and QUIT, and its children inherit that; the `env` of newer
 * systems undoes it. `ask`: it finds out itself whether the one inside does.
 */
export function supervisorScript(restoreSignals: boolean | "ask"): string {
  const restore = "env --default-signal=INT,QUIT";
  const ask =
    restoreSignals === "ask" ? `restore=; ${restore} true 2>/dev/null && restore='${restore}'\n` : "";
  const start = `${restoreSignals === "ask" ? "$restore " : restoreSignals ? `${restore} ` : ""}setsid`;
  const pipes = (direction: string) => `"${PIPES_INSIDE}/$first.${direction}"`;
  return `exec 5<&- 6<&-
cd / || exit 1
${ask}start='{ echo 1000 >/proc/self/oom_score_adj; exec ${start} $shell <${pipes("in")} >${pipes("out")} 2>&1; } & answer=$!'
echo ready
while IFS=' ' read -r number verb first rest; do
  answer=
  case $verb in
  run | shell)
    shell=sh
    if [ "$verb" = shell ]; then shell='bash --noprofile --norc -s'; fi
    command eval "$start" || { jobs >/dev/null; command eval "$start"; } ;;
  signal)
    kill -s "$first" $rest ;;
  finish)
    kill -s KILL "$first"
    wait "$first"
    answer=$? ;;
  poll)
    command eval '( : )' || jobs >/dev/null
    if ! kill -s 0 "$first"; then
      wait "$first"
      answer=$?
    fi ;;
  esac
  echo "$number $answer"
done 2>/dev/null
`;
}

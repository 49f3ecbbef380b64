# shellcheck shell=sh disable=SC2034,SC2209 # variables are read by an eval
# Process 1 of a sandbox. It is started as /bin/sh DIRECTORY/supervisor, where DIRECTORY holds the named pipes of commands.
#
# $1: how to make background jobs and their children react to INT and QUIT again, which sh makes them ignore:
#     "env" uses env --default-signal, "ask" does so if the env of this sandbox can, "no" does nothing.
#
# Reads requests "NUMBER VERB ARGUMENT..." and answers each with "NUMBER RESULT":
#
#   run SLOT           starts sh, which reads its script from the slot; RESULT is its pid
#   shell SLOT         the same with bash
#   signal NAME PID... sends the signal
#   untrace PID...     kills the debuggers of these processes: one may hold a killed process at its end
#   finish PID         kills and reaps that child; RESULT is its exit status
#   reap               reaps orphans
#   poll PID           reaps orphans; RESULT is the exit status of that child if it has ended, else empty
#   list SLOT          writes two lines for each process to the slot's output: its stat, and its limit for
#                      file locks; RESULT is 1
#   killed             RESULT is the number of processes that were killed because the sandbox had no memory left, if its control
#                      group can be read inside
#   end                ends the sandbox
#   uptime             RESULT is the time since the machine booted, in hundredths of a second
#
# On a new disk it makes the directories of the agent's own programs. From then on it waits only for processes that it has killed, so
# nothing in the sandbox can block it. With "command eval" it survives when the process limit prevents a fork. "jobs" then reaps
# orphans without a fork, but loses their exit statuses. When memory runs out, the kernel kills the processes that it starts before
# it, and before any other process of the host.
cd / || exit 1
restore='env --default-signal=INT,QUIT'
case ${1-} in
env) ;;
ask) $restore true 2>/dev/null || restore= ;;
*) restore= ;;
esac
pipes=${0%/*}
# shellcheck disable=SC2016 # expanded by the eval below
start='{ echo 1000 >/proc/self/oom_score_adj; exec $restore setsid $shell <"$pipes/$first.in" >"$pipes/$first.out" 2>&1; } & answer=$!'
reap() { command eval '( : )' || jobs >/dev/null; }
echo ready
# npm, npx and "npm list --global" fail when the directory below its prefix (NPM_CONFIG_PREFIX) does not exist.
[ -e "$HOME/.local/lib" ] || mkdir -p "$HOME/.local/bin" "$HOME/.local/lib" 2>/dev/null
while IFS=' ' read -r number verb first rest; do
  answer=
  case $verb in
  run | shell)
    shell=sh
    if [ "$verb" = shell ]; then shell='bash --noprofile --norc -s'; fi
    command eval "$start" || { jobs >/dev/null; command eval "$start"; } ;;
  signal)
    # shellcheck disable=SC2086 # several pids
    kill -s "$first" $rest ;;
  untrace)
    for traced in $first $rest; do
      for thread in /proc/"$traced"/task/[0-9]*; do
        while read -r name tracer; do
          if [ "$name" = TracerPid: ] && [ "$tracer" -gt 1 ]; then kill -s KILL "$tracer"; fi
        done <"$thread/status"
      done
    done ;;
  finish)
    kill -s KILL "$first"
    wait "$first"
    answer=$? ;;
  reap) reap ;;
  poll)
    reap
    if ! kill -s 0 "$first"; then
      wait "$first"
      answer=$?
    fi ;;
  list)
    for process in /proc/[0-9]*; do
      # The name of a process may contain line breaks.
      stat=
      while read -r line; do stat="$stat$line "; done <"$process/stat" || continue
      while read -r limit; do
        case $limit in 'Max file locks'*) printf '%s\n%s\n' "$stat" "$limit" && break ;; esac
      done <"$process/limits"
    done >"$pipes/$first.out"
    answer=1 ;;
  killed)
    for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
      while read -r name count; do
        if [ "$name" = oom_kill ]; then answer=$count; fi
      done <"$file"
    done ;;
  end) exit 0 ;;
  uptime)
    read -r answer rest </proc/uptime
    answer=${answer%.*}${answer#*.} ;;
  esac
  echo "$number $answer"
done 2>/dev/null

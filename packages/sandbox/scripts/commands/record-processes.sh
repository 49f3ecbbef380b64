# shellcheck shell=bash disable=SC2154 # berth_memory of end-command.sh
# Records the processes that run in the sandbox, one a line, so that the agent can be told of them once the sandbox has ended.
# end-command.sh sources it; before a sandbox closes, it runs as a program. It uses only builtins.
#
# No line may contain a secret. When sourced, it gets the secrets as the last arguments of end-command.sh; as a program, from its
# standard input, each ended by a NUL.
#
# Processes of Berth are left out: process 1, this one, the shells that process 1 started for commands, and relays of ports. A background job that is
# a subshell, or does not run its program yet, gets its name from the shell's list of jobs, which the program finds in memory.
# During an exec a process has no command line for a moment, and some processes never have one. It is read a few times, and after
# that the process is recorded under the name that the kernel has for it.
if [[ $0 == /run/berth/record-processes ]]; then
  builtin mapfile -d '' -t berth_secrets
else
  berth_secrets=("${@:6+$5}")
fi
berth_file=/mnt/session/shells/processes berth_found=''
for berth_process in /proc/[0-9]*; do
  case $berth_process in /proc/1 | "/proc/$$") continue ;; esac
  berth_words=()
  { builtin mapfile -d '' -t -n 24 berth_words <"$berth_process/cmdline"; } 2>/dev/null
  builtin printf -v berth_line '%s ' "${berth_words[@]}"
  berth_tries=0
  while [[ -z ${berth_line// /} ]]; do
    berth_stat=
    { builtin read -r berth_stat <"$berth_process/stat"; } 2>/dev/null
    case ${berth_stat##*)} in "" | " Z "* | " X "*) continue 2 ;; esac
    if ((berth_tries == 20)); then
      berth_line=${berth_stat#*(}
      berth_line="${berth_line%)*} "
      [[ $berth_line != " " ]] || berth_line="a process without a name "
      break
    fi
    ((berth_tries += 1))
    { builtin mapfile -d '' -t -n 24 berth_words <"$berth_process/cmdline"; } 2>/dev/null
    builtin printf -v berth_line '%s ' "${berth_words[@]}"
  done
  case $berth_line in
  "perl -e # berth-relay"*) continue ;;
  "sh " | "/bin/sh /run/berth/supervisor "* | "env --default-signal=INT,QUIT setsid "* | "setsid sh " | "setsid bash --noprofile --norc -s ") continue ;;
  "bash --noprofile --norc -s ")
    berth_stat=
    { builtin read -r berth_stat <"$berth_process/stat"; } 2>/dev/null
    case ${berth_stat##*)} in " "?" 1 "*) continue ;; esac
    if [[ ! -v berth_jobs ]]; then
      if [[ $0 != /run/berth/record-processes && -f $berth_memory.jobs && ! -L $berth_memory.jobs ]]; then
        builtin jobs -rl >|"$berth_memory.jobs"
      fi
      berth_jobs=()
      for berth_list in /dev/shm/.berth-shell-*.jobs; do
        if [[ -f $berth_list && ! -L $berth_list ]]; then builtin mapfile -t -n 500 -O "${#berth_jobs[@]}" berth_jobs <"$berth_list"; fi
      done
    fi
    berth_line='' berth_matches=''
    for berth_job in "${berth_jobs[@]}"; do
      # "[1]+  123 Running    while x; do", then the lines of a long command, then "     124    | cat &" for the next of a pipeline.
      berth_head=${berth_job#\[*\]}
      berth_head=${berth_head#[-+]}
      berth_head=${berth_head#"${berth_head%%[! ]*}"}
      berth_pid=${berth_head%% *}
      if [[ $berth_job == ["["" "]* && $berth_pid && $berth_pid != *[!0-9]* ]]; then
        [[ -z $berth_matches ]] || break
        [[ $berth_pid == "${berth_process#/proc/}" ]] || continue
        berth_matches=yes berth_job=${berth_head#* }
        berth_job=${berth_job#"${berth_job%%[! ]*}"}
        berth_job=${berth_job#Running}
      fi
      [[ -z $berth_matches ]] || berth_line+="${berth_job#"${berth_job%%[!| ]*}"} "
    done
    [[ -n $berth_line ]] || berth_line="a background job of the shell " ;;
  esac
  for berth_secret in "${berth_secrets[@]}"; do
    [[ -z $berth_secret ]] || berth_line=${berth_line//"$berth_secret"/[redacted]}
  done
  berth_line=${berth_line//[[:cntrl:]]/ }
  berth_found+=${berth_line:0:200}$'\n'
  ((${#berth_found} < 4000)) || break
done
if [[ ! -L $berth_file && ( -f $berth_file || ! -e $berth_file ) ]]; then
  if [[ -n $berth_found ]]; then
    builtin printf %s "$berth_found" >|"$berth_file"
  elif [[ -s $berth_file ]]; then
    : >|"$berth_file"
  fi
fi

# shellcheck shell=bash
# Records which processes run in the sandbox, one line each, so that the agent can be told once the sandbox has ended. Sourced
# by end-command.sh; run as a program of its own before a sandbox closes. Builtins only.
#
# berth_secrets: secrets that no line may contain. The program reads them from its standard input, each ended by a NUL.
#
# Processes of Berth are left out: process 1, this one, and the shells that process 1 started for commands.
if [[ $0 == /run/berth/record-processes ]]; then builtin mapfile -d '' -t berth_secrets; fi
berth_file=/mnt/session/shells/processes berth_found=''
for berth_process in /proc/[0-9]*; do
  case $berth_process in /proc/1 | "/proc/$$") continue ;; esac
  berth_words=()
  { builtin mapfile -d '' -t -n 24 berth_words <"$berth_process/cmdline"; } 2>/dev/null
  ((${#berth_words[@]} > 0)) || continue
  builtin printf -v berth_line '%s ' "${berth_words[@]}"
  case $berth_line in
  "sh ") continue ;;
  "bash --noprofile --norc -s ")
    berth_stat=
    { builtin read -r berth_stat <"$berth_process/stat"; } 2>/dev/null
    case ${berth_stat##*)} in " "?" 1 "*) continue ;; esac
    berth_line="a background job of the shell " ;;
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

# shellcheck shell=bash disable=SC2154 # the kept state sets some of its variables
# Sourced by a new named bash before its first command: restores the state that end-command.sh saved, if there is one, and changes
# the directory. Prints one line about what could not be restored. It uses only builtins.
#
# $1  name of the shell
# $2  directory to begin in when no state was saved
#
# The agent can change the saved state, which can do here what a command can do. So that it cannot break the shell for ever, attempts
# are counted: each is recorded before the state is run, and cleared when a command has ended. After three attempts that did not get
# so far, the shell begins with no state.
#
# The printed line stays in a file, and is printed again, until the model was told of it (ended-processes.ts): the result of the command
# that printed it may be lost, and the command has replaced the state that the line is about.
berth_base=/mnt/session/shells/$1 berth_memory=/dev/shm/.berth-shell-$1 berth_directory=$2 berth_restored=new berth_untold='' berth_note=''
# They are made before the agent's umask applies. Without a copy of the state in memory, the first command saves it.
for berth_file in "$berth_memory.now" "$berth_memory.saved" "$berth_memory.jobs"; do
  if [[ ! -L $berth_file && ( -f $berth_file || ! -e $berth_file ) ]]; then : >|"$berth_file"; fi
done 2>/dev/null
for berth_file in "$berth_base.0" "$berth_base.1" "${berth_base%/*}/processes"; do
  if [[ ! -L $berth_file && ! -e $berth_file ]]; then : >|"$berth_file"; fi
done 2>/dev/null
if [[ -f $berth_base.untold && ! -L $berth_base.untold ]]; then
  IFS='' builtin read -r -d '' -n 4000 berth_untold <"$berth_base.untold"
fi 2>/dev/null
if [[ -s $berth_base.0 || -s $berth_base.1 ]]; then
  berth_restored=no berth_text='' berth_newest=-1 berth_attempts=''
  berth_names='' berth_withheld='' berth_large='' berth_traps=''
  if [[ ! -L $berth_base.attempts && ( -f $berth_base.attempts || ! -e $berth_base.attempts ) ]]; then
    builtin printf x >>"$berth_base.attempts"
    builtin read -r -N 9 berth_attempts <"$berth_base.attempts"
  fi
  case $berth_attempts in x | xx | xxx)
    for berth_slot in "$berth_base.0" "$berth_base.1"; do
      [[ -f $berth_slot && ! -L $berth_slot ]] || continue
      # Reads up to a NUL. A state has none, and a sparse file of any size has nothing else.
      IFS='' LC_ALL=C builtin read -r -d '' -n 2000001 berth_read <"$berth_slot"
      berth_time=${berth_read##*$'\n'"# complete "}
      berth_time=${berth_time%$'\n'}
      case $berth_time in *[!0-9]* | "" | ?????????????????????*) continue ;; esac
      if ((${#berth_read} <= 2000000 && 10#$berth_time > berth_newest)); then
        berth_newest=$((10#$berth_time)) berth_text=$berth_read
      fi
    done
    berth_shopt='' berth_set=''
    builtin eval "$berth_text" ;;
  esac
fi 2>/dev/null
if ! builtin cd -- "$berth_directory" 2>/dev/null; then
  if [[ $berth_restored == yes ]]; then berth_gone=$berth_directory; fi
  builtin cd /data || builtin :
fi
if [[ $berth_restored == no ]]; then
  for berth_slot in "$berth_base.0" "$berth_base.1" "$berth_base.attempts"; do
    if [[ -f $berth_slot && ! -L $berth_slot ]]; then : >|"$berth_slot"; fi
  done 2>/dev/null
  berth_note="[The shell began anew: what was kept of it could not be restored.]"
elif [[ $berth_restored == yes ]]; then
  berth_lost='' berth_count=0 berth_names=${berth_names:0:20000}
  # Without word splitting, since the agent may have set IFS.
  while [[ -n $berth_names ]]; do
    berth_name=${berth_names%% *} berth_names=${berth_names#*"$berth_name"}
    berth_names=${berth_names# }
    case $berth_name in
    "" | *[!A-Za-z0-9_]* | berth_* | BASH* | COMP_* | COPROC* | _ | OLDPWD) continue ;;
    REPLY | OPTARG | MAPFILE | PIPESTATUS | FUNCNAME | HISTCMD | LINES | COLUMNS) continue ;;
    esac
    [[ ! -v $berth_name && " $berth_withheld$berth_large" != *" $berth_name "* ]] || continue
    ((berth_count += 1))
    if ((berth_count <= 20)); then berth_lost+="${berth_lost:+, }${berth_name:0:60}"; fi
  done
  if ((berth_count > 20)); then berth_lost+=" and $((berth_count - 20)) more"; fi
  berth_withheld=${berth_withheld:0:500} berth_large=${berth_large:0:500}
  if [[ -n $berth_lost ]]; then berth_note+=" Variables that were not exported: $berth_lost."; fi
  if [[ -n ${berth_withheld-} ]]; then berth_note+=" With a secret in the value: ${berth_withheld% }."; fi
  if [[ -n ${berth_large-} ]]; then berth_note+=" Too large: ${berth_large% }."; fi
  if [[ -n ${berth_traps-} ]]; then berth_note+=" Traps."; fi
  if [[ -n ${berth_gone-} ]]; then berth_note+=" The directory ${berth_gone:0:500} does not exist; this is $PWD."; fi
  if [[ -n $berth_note ]]; then
    berth_note="[This is a new shell. What did not come back with it:${berth_note//[[:cntrl:]]/ }]"
  fi
fi
if [[ -n $berth_note && $berth_untold == *"$berth_note"* ]]; then berth_note=''; fi
if [[ -n $berth_note && ! -L $berth_base.untold && ( -f $berth_base.untold || ! -e $berth_base.untold ) ]]; then
  builtin printf '%s\n' "$berth_note" >>"$berth_base.untold"
fi 2>/dev/null
builtin printf %s "$berth_untold${berth_note:+$berth_note$'\n'}"
if [[ $berth_restored == yes && -n ${berth_shopt-} ]]; then
  berth_list=$BASHOPTS:
  while [[ -n $berth_list ]]; do
    berth_name=${berth_list%%:*} berth_list=${berth_list#*:}
    [[ :$berth_shopt: == *:"$berth_name":* ]] || builtin shopt -u "$berth_name"
  done
  berth_list=$SHELLOPTS:
  while [[ -n $berth_list ]]; do
    berth_name=${berth_list%%:*} berth_list=${berth_list#*:}
    [[ :$berth_set: == *:"$berth_name":* ]] || set +o "$berth_name"
  done
  berth_list=${berth_set:+$berth_set:}
  while [[ -n $berth_list ]]; do
    berth_name=${berth_list%%:*} berth_list=${berth_list#*:}
    set -o "$berth_name"
  done
fi 2>/dev/null
builtin unset -v "${!berth_@}"

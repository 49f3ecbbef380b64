# shellcheck shell=bash
# Completion of Berth's command line in Bash. The program whose name is typed (berth, bin/berth or npx berth) prints the
# candidates, one a line, with a tab before the description.

_berth() {
  local program=("${1/#\~\//$HOME/}") first=1
  if [[ ${1##*/} == npx ]]; then
    if [[ $COMP_CWORD -lt 2 || ${COMP_WORDS[1]} != berth ]]; then return; fi
    program=("$1" --no-install berth)
    first=2
  fi

  # Bash also splits words at '=' and ':'. They are joined again, so that each is what stands between two spaces of the line.
  local words=() last=-1 rest=${COMP_LINE:0:COMP_POINT} part i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${rest%%[![:space:]]*}
    rest=${rest#"$part"}
    if [[ $i == 0 || -n $part ]]; then last=$((last + 1)); fi
    part=${COMP_WORDS[i]}
    if [[ $i == "$COMP_CWORD" ]]; then part=$rest; fi
    words[last]=${words[last]-}$part
    rest=${rest#"$part"}
  done

  # Bash completes $2, the end of the last word.
  local value description before=${words[last]%"$2"} shown=()
  COMPREPLY=()
  while IFS=$'\t' read -r value description; do
    if [[ $value == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    COMPREPLY+=("${value#"$before"}")
    shown+=("$value${description:+  ($description)}")
  done < <("${program[@]}" complete -- "${words[@]:first}" 2>/dev/null)
  # 63 is '?': the candidates are only listed.
  if [[ $COMP_TYPE == 63 && ${#shown[@]} -gt 1 ]]; then COMPREPLY=("${shown[@]}"); fi
}

complete -F _berth berth
complete -p npx >/dev/null 2>&1 || complete -o default -F _berth npx

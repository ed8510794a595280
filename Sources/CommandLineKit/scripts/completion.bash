# Completions of TOOL for bash. Put this into ~/.bashrc: source <(TOOL completions bash)
_TOOL() {
  local line=$COMP_LINE blank piece head= names= word help i at=0 words=()
  for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
    piece=${COMP_WORDS[i]}
    blank=${line%%[![:space:]]*}
    line=${line#"$blank"}
    line=${line#"$piece"}
    if ((i == 0)) || [[ -n $blank || -z $piece || -z ${COMP_WORDS[i - 1]} ]]; then
      words+=("")
    fi
    if ((i == COMP_CWORD)); then
      at=$((${#words[@]} - 1))
      head=${words[at]}
      [[ -z $piece || $piece == *[!=:]* ]] || head+=$piece
    fi
    words[${#words[@]} - 1]+=$piece
  done
  words[at]=$head$2
  words=("${words[@]//[\"\'\\]/}")
  head=${head//[\"\'\\]/}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    if [[ -z $names ]]; then names=$word; else COMPREPLY+=("${word#"$head"}"); fi
  done < <(command TOOL --complete $((at - 1)) -- "${words[@]:1}" 2>/dev/null)
  if [[ $names == files || $names == directories ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
      if [[ $names == files ]]; then compgen -f -- "$2"; else compgen -d -- "$2"; fi
    )
  elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o nosort -F _TOOL TOOL 2>/dev/null || complete -F _TOOL TOOL

import { type CompletedCommand, type Completion, firstWords } from "./completed.js"

/** Writes the completion of these commands for bash 3.2 and later, without the package bash-completion. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const starts = firstWords(commands)
  const inner = [...starts].filter(([, [command]]) => (command?.names[0]?.length ?? 0) > 1)
  return `# Completion of smd for bash. Written by: smd completion bash
_smd_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_smd_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
_smd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} first=2 options= i
  COMPREPLY=()
  # Bash makes "=" a word of its own.
  if [[ $cur == "=" ]]; then
    cur= before="$before="
  elif [[ $before == "=" ]]; then
    before="\${COMP_WORDS[COMP_CWORD-2]}="
  fi
  if ((COMP_CWORD == 1)); then
    _smd_words "${[...starts.keys(), "--help", "--version"].join(" ")}"
    return
  fi
  case $command in
${inner.map(([first, found]) => innerCase(first, found)).join("\n")}
  esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      _smd_files
      return
    fi
  done
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
complete -F _smd smd
`
}

function innerCase(first: string, commands: readonly CompletedCommand[]): string {
  const words = commands.map(({ names: [name] }) => name?.[1]).join(" ")
  return `    ${first})
      if ((COMP_CWORD == 2)); then
        _smd_words "${words}"
        return
      fi
      command="${first} \${COMP_WORDS[2]}" first=3
      ;;`
}

function commandCase({ names, options, operands }: CompletedCommand): string {
  const valued = options.flatMap(({ names, values, isOptional }) => {
    if (values === undefined) return []
    const patterns = names.flatMap(name => (isOptional ? [`${name}=`] : [name, `${name}=`]))
    return [`        ${patterns.join(" | ")}) ${offer(values)} ;;`]
  })
  const words = options.flatMap(({ names }) => names.filter(name => name.startsWith("--"))).join(" ")
  const offered = operands === "files" ? "_smd_files" : `((COMP_CWORD > first)) && _smd_files || ${offer(operands)}`
  return `    ${names.map(name => `"${name.join(" ")}"`).join(" | ")})
      case $before in
${valued.join("\n")}
        *)
          if [[ $cur == -* ]]; then
            _smd_words "${words}"
          else
            ${operands.length === 0 ? ":" : offered}
          fi
          ;;
      esac
      ;;`
}

function offer(values: Completion): string {
  if (values === "files") return "_smd_files"
  return values.length === 0 ? ":" : `_smd_words "${values.join(" ")}"`
}

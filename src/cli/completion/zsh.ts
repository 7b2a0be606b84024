import { type CompletedCommand, type CompletedOption, type Completion, firstWords, quoted } from "./completed.js"

/** Writes the completion of these commands for zsh, to be sourced or to be a file `_smd` in a folder of fpath. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const starts = firstWords(commands)
  const inner = [...starts].filter(([, [command]]) => (command?.names[0]?.length ?? 0) > 1)
  const described = [...starts].map(([word, [command, ...others]]) => {
    return others.length > 0 ? word : `${word}:${escaped(command?.summary ?? "", ":")}`
  })
  return `#compdef smd
# Completion of smd for zsh. Written by: smd completion zsh
_smd() {
  local curcontext="$curcontext" command=$words[2]
  local -a words_of
  if ((CURRENT == 2)); then
    words_of=(${described.map(quoted).join(" ")})
    _describe command words_of
    return
  fi
  case $command in
${inner.map(([first, found]) => innerCase(first, found)).join("\n")}
  esac
  shift words
  ((CURRENT--))
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _smd ]]; then
  _smd "$@"
else
  compdef _smd smd
fi
`
}

function innerCase(first: string, commands: readonly CompletedCommand[]): string {
  const words = commands.map(({ names: [name], summary }) => quoted(`${name?.[1]}:${escaped(summary, ":")}`))
  return `    ${first})
      if ((CURRENT == 3)); then
        words_of=(${words.join(" ")})
        _describe command words_of
        return
      fi
      command="${first} $words[3]"
      shift words
      ((CURRENT--))
      ;;`
}

function commandCase({ names, options, operands }: CompletedCommand): string {
  const operand = operands === "files" ? ["'*:file:_files'"] : operandSpecs(operands)
  const specs = [...options.flatMap(optionSpecs), ...operand]
  return `    ${names.map(name => `"${name.join(" ")}"`).join(" | ")})
      _arguments -s -S \\
${specs.map(spec => `        ${spec}`).join(" \\\n")}
      ;;`
}

function operandSpecs(operands: readonly string[]): string[] {
  return operands.length === 0 ? [] : [quoted(`1:word:(${operands.join(" ")})`), "'*:file:_files'"]
}

/** Returns a specification of `_arguments` for each name of the option. */
function optionSpecs({ names, help, values, value, isOptional, isRepeated }: CompletedOption): string[] {
  return names.map(name => {
    const excluded = isRepeated ? "*" : `(${names.join(" ")})`
    const meaning = `[${escaped(help, "[]")}]`
    if (values === undefined) return quoted(`${excluded}${name}${meaning}`)
    const joint = isOptional ? "=-" : name.startsWith("--") ? "=" : "+"
    const message = `${isOptional ? "::" : ":"}${escaped(value, ":")}:${action(values)}`
    return quoted(`${excluded}${name}${joint}${meaning}${message}`)
  })
}

function action(values: Completion): string {
  if (values === "files") return "_files"
  return values.length === 0 ? "" : `(${values.join(" ")})`
}

/** Returns the text with backslashes before these characters. */
function escaped(text: string, special: string): string {
  return Array.from(text, char => (special.includes(char) ? `\\${char}` : char)).join("")
}

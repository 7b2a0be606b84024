import { type CompletedCommand, type CompletedOption, type Completion, firstWords, quoted } from "./completed.js"

/** Writes the completion of these commands for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const starts = [...firstWords(commands)].map(([word, [command, ...others]]) => {
    return `complete -c smd -n '__smd_at 1' -a ${word}${described(others.length > 0 ? "" : (command?.summary ?? ""))}`
  })
  return `# Completion of smd for fish. Written by: smd completion fish
function __smd_at -d 'Whether this many words precede the cursor'
    test (count (commandline -opc)) -eq $argv[1]
end
function __smd_in -d 'Whether the command is one of these'
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv; or contains -- "$words[2] $words[3]" $argv
end
complete -c smd -f
${starts.join("\n")}
${commands.map(linesOf).join("\n")}
`
}

function linesOf({ names, summary, options, operands }: CompletedCommand): string {
  const condition = `-n "__smd_in ${names.map(name => quoted(name.join(" "))).join(" ")}"`
  const [[first = "", second] = []] = names
  const inner =
    second === undefined
      ? []
      : [`complete -c smd -n '__smd_at 2; and __smd_in ${first}' -a ${second}${described(summary)}`]
  const lines = options.map(option => `complete -c smd ${condition} ${optionWords(option)}${described(option.help)}`)
  return [...inner, ...lines, ...operandLines(condition, operands)].join("\n")
}

function operandLines(condition: string, operands: Completion): string[] {
  if (operands === "files") return [`complete -c smd ${condition} -F`]
  if (operands.length === 0) return []
  const files = `complete -c smd ${condition.replace('"__smd_in', '"not __smd_at 2; and __smd_in')} -F`
  return [files, `complete -c smd ${condition.replace('"__smd_in', '"__smd_at 2; and __smd_in')} -a ${words(operands)}`]
}

function optionWords({ names, values, isOptional }: CompletedOption): string {
  const spelled = names.map(name => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ")
  if (values === undefined) return spelled
  if (values === "files") return `${spelled} -r -F`
  const needed = isOptional ? "" : " -x"
  return values.length === 0 ? `${spelled}${needed}` : `${spelled}${needed} -a ${words(values)}`
}

function words(values: readonly string[]): string {
  return quoted(values.join(" "))
}

function described(text: string): string {
  return text === "" ? "" : ` -d ${quoted(text).replaceAll("'\\''", "\\'")}`
}

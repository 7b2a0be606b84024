// `smd` as a plugin of kubectl: commands that apply preview `kubectl apply --server-side` to the cluster.

const applying: readonly string[] = ["plan", "explain", "apply", "ignore"]

/** Returns the arguments of a command with kubectl's defaults: its cluster and its manager. */
export function pluginArguments(command: string, argv: readonly string[]): readonly string[] {
  if (!applying.includes(command)) return argv
  const has = (options: RegExp) => argv.some(word => options.test(word))
  return [
    ...(has(/^--(?:live|context|kubeconfig|stream)(?:=|$)/) ? [] : ["--live=cluster"]),
    ...(has(/^--(?:manager|field-manager)(?:=|$)/) ? [] : ["--manager=kubectl"]),
    ...argv,
  ]
}

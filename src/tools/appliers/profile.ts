// An applier profile: what a tool does around a server-side apply, as data. applier.schema.json describes it as a document.

/** The built-in profiles. */
export type ApplierName =
  | "helm"
  | "kubectl"
  | "argocd"
  | "flux"
  | "flux-helm"
  | "crossplane"
  | "pulumi"
  | "terraform"
  | "kapp"
  | "client-go"
  | "helm3"
  | "kubectl-client"
  | "argocd-client"

/** Other names of profiles. */
export type ApplierAlias = "helm4"

/** The behavior of a tool when it applies an object. */
export interface ApplierProfile {
  /** The name for `as`. */
  readonly name: string
  /** The name of the tool, for messages. */
  readonly tool: string
  /** The versions of the tool that the profile describes, for people. */
  readonly versions?: string | undefined
  /** The name of the manager. Absent if every installation has its own name. */
  readonly manager?: string | undefined
  /** The start of the manager's name, if the rest differs. The live object then says who has applied it. */
  readonly managerPrefix?: string | undefined
  /** How the tool writes: by server-side apply, or by updates (PUT), which take fields without asking. `apply` if absent. */
  readonly writes?: "apply" | "update" | undefined
  /** Whether the tool forces its applies: `on-request` if users can choose. */
  readonly force: "always" | "never" | "on-request"
  /** The changes that the tool makes to a configuration before it sends it. */
  readonly configuration?: ConfigurationChange | undefined
  /** Objects that the tool leaves alone. */
  readonly skips?: readonly SkipRule[] | undefined
  /** `drift`: the tool applies only if a dry run changes a value other than metadata and status, a label or an annotation. */
  readonly sends?: "always" | "drift" | undefined
  /** The namespace of objects that have none: `release` for that of the release, if the tool has releases. */
  readonly namespace?: "release" | undefined
  /**
   * The treatment of fields that its Application or Kustomization ignores. `live-value`: the tool sends their live values. `unless-applied`:
   * it sends the live values of those that an apply would change, and omits them if another manager applies them.
   */
  readonly ignored?: "live-value" | "unless-applied" | undefined
  /** Labels or annotations of objects that the tool deletes and creates again, if a server refuses an apply as invalid. */
  readonly recreates?: Readonly<Record<string, string>> | undefined
  /** The steps before the apply, in their order. Objects that don't exist yet need none. */
  readonly before?: readonly ApplierStep[] | undefined
  /** The steps after the apply, in their order. */
  readonly after?: readonly ApplierStep[] | undefined
  /** The annotation whose number says in which wave the tool applies an object. */
  readonly waves?: string | undefined
  /** The commands that make the tool apply, in their order. */
  readonly commands?: readonly ToolCommand[] | undefined
  /** The ways out of a conflict that the tool has. */
  readonly ways?: readonly ToolWay[] | undefined
  /** The sources that the profile was read in. */
  readonly sources?: readonly string[] | undefined
  /** `programs`: tests compare the profile with recordings of the tool's own code. `sources`: it was only read. */
  readonly proof?: "programs" | "sources" | undefined
}

/** The changes of a tool to a configuration. */
export interface ConfigurationChange {
  /** Whether built-in objects pass through Go's types, which adds zeros that they never omit. */
  readonly goTypes?: boolean | undefined
  /**
   * Labels that the tool sets. `{name}` and `{namespace}` stand for the object of the tool that the configuration belongs to, such as an
   * Application, and `{release}` and `{target}` for Helm's release and its namespace. If that is unknown, the live object's value counts.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Annotations that the tool sets. `{id}` is Argo CD's name for the configured object. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
}

/** Objects that a tool leaves alone. Labels and annotations are compared without case. */
export interface SkipRule {
  /** Labels or annotations, as `key: value`. One is enough. The value `*` stands for every value. */
  readonly marked: Readonly<Record<string, string>>
  /** Where the mark counts: in the configuration, or also in the live object. `either` if absent. */
  readonly on?: "configuration" | "either" | undefined
  /** Whether the rule is only about objects that exist. */
  readonly existing?: boolean | undefined
}

/** An entry of managedFields. */
export interface EntryRule {
  /** The name of the manager. */
  readonly manager: string
  /** Whether `manager` is only the start of the name. */
  readonly prefix?: boolean | undefined
  /** The operation. */
  readonly operation: "Apply" | "Update"
}

/** One step of a tool before or after an apply. */
export type ApplierStep =
  | UpgradeManagersStep
  | ReplaceManagersStep
  | MigrateVersionsStep
  | ClearManagersStep
  | KeepLastAppliedStep

/** All entries of managedFields get the configuration's apiVersion. */
export interface MigrateVersionsStep {
  /** The name of the step. */
  readonly step: "migrate-versions"
}

/** The object forgets its managers before the first apply, as Crossplane does it when it moves from client-side apply. */
export interface ClearManagersStep {
  /** The name of the step. */
  readonly step: "clear-managers"
}

/** The updates of these managers become the applier's applies, as client-go's csaupgrade does it. */
export interface UpgradeManagersStep {
  /** The name of the step. */
  readonly step: "upgrade-managers"
  /** The names, or `owners-of-last-applied`: the managers whose updates own the annotation of client-side apply. */
  readonly managers: readonly string[] | "owners-of-last-applied"
  /** `never-applied`: only if the applier has not applied the object yet. */
  readonly if?: "never-applied" | undefined
  /** Whether the tool applies again after the step has changed something. */
  readonly reapplies?: boolean | undefined
}

/** Entries become the applier's, and labels and annotations are removed, as the ssa package of Flux does it. */
export interface ReplaceManagersStep {
  /** The name of the step. */
  readonly step: "replace-managers"
  /** The entries. */
  readonly entries: readonly EntryRule[]
  /** Annotations that are removed. */
  readonly annotations?: readonly string[] | undefined
  /** Labels that are removed. */
  readonly labels?: readonly string[] | undefined
  /** No step for objects with one of these labels or annotations, in the configuration or in the live object. */
  readonly unless?: Readonly<Record<string, string>> | undefined
}

/** The annotation of client-side apply gets an owner that applies it, as kubectl does it. */
export interface KeepLastAppliedStep {
  /** The name of the step. */
  readonly step: "keep-last-applied"
  /** The manager that applies the annotation. */
  readonly manager: string
  /** Only if the applier has this name. */
  readonly onlyAs: string
}

/** A way out of a conflict in the words of a tool. */
export interface ToolWay {
  /** The action: leave the field out, agree on the live value, or take the field. */
  readonly way: "relinquish" | "share" | "overwrite"
  /** How, in the tool's words. `{path}`, `{pointer}`, `{group}`, `{kind}` and `{name}` stand for the field and its object. */
  readonly text: string
}

/** A command that makes a tool apply. */
export interface ToolCommand {
  /**
   * The command, or a sentence if users have to edit something. `{name}` stands for the name of the Application or Kustomization, and
   * `{namespace}` for its namespace; `{release}` and `{target}` for those of Helm's release.
   */
  readonly text: string
  /** The arguments with which the tool forces the apply. */
  readonly force?: string | undefined
}

// The menu of the site. A test compares it with the files of docs/.

const page = (text, path) => ({ text, link: `/${path}` })

export const sidebar = [
  {
    text: "Start here",
    items: [
      page("Overview", "README"),
      page("All guides", "docs/"),
      page("Stories", "examples/stories/"),
      page("Glossary", "docs/glossary"),
      page("Functions and classes", "names"),
    ],
  },
  {
    text: "Helm and GitOps",
    items: [
      page("Dry-run a GitOps change", "docs/guides/gitops-dry-run"),
      page("From Helm 3 to Helm 4", "docs/guides/helm-3-to-4"),
      page("Argo CD to server-side apply", "docs/guides/argocd-server-side-apply"),
      page("Flux and old API versions", "docs/guides/flux-old-api-versions"),
      page("Hand replicas to an autoscaler", "docs/guides/replicas-to-autoscaler"),
      page("Who owns replicas after a scale?", "docs/guides/replicas-after-scale"),
      page("From client-side to server-side apply", "docs/guides/client-side-apply"),
      page("Migrate a cluster to server-side apply", "docs/guides/migrate-cluster"),
      page("Check manifests in CI, without a cluster", "docs/guides/ci-without-cluster"),
      page("Custom and built-in kinds together", "docs/guides/custom-kinds"),
      page("Helm, Argo CD, Flux and other tools", "docs/appliers"),
      page("Pull requests and CI", "docs/ci"),
    ],
  },
  {
    text: "Operators",
    items: [
      page("Test an operator", "docs/guides/test-operator"),
      page("An operator for a real cluster", "docs/guides/cluster-operator"),
      page("Apply in a loop", "docs/guides/apply-loop"),
      page("Apply only what changes something", "docs/controller"),
    ],
  },
  {
    text: "A test API server",
    items: [
      page("Start and requests", "docs/apiserver"),
      page("Tests with vitest and Jest", "docs/apiserver/tests"),
      page("Tests in any language", "docs/clients"),
      page("kubectl, Helm and client-go", "docs/apiserver/serve"),
      page("Options and members", "docs/apiserver/options"),
      page("Repeatable sessions", "docs/apiserver/repeatable"),
      page("Watches and lists", "docs/apiserver/watches"),
      page("Controllers", "docs/apiserver/controllers"),
      page("Faults", "docs/apiserver/faults"),
      page("Authorization", "docs/apiserver/authorization"),
      page("Admission and validation", "docs/apiserver/admission"),
      page("Unions on the server", "docs/apiserver/unions"),
      page("Record and replay", "docs/apiserver/record-and-replay"),
      page("Limits and differences", "docs/apiserver/limits"),
      page("Compared with a real server", "docs/apiserver/compared"),
      page("Test servers compared", "docs/test-servers"),
    ],
  },
  {
    text: "User interfaces",
    items: [
      page("Show owners in a UI", "docs/guides/owners-view"),
      page("Who owns it, and what an apply would do", "docs/ownership"),
      page("Live clusters", "docs/cluster"),
      page("The playground", "docs/playground"),
    ],
  },
  {
    text: "API design",
    items: [
      page("Design an API", "docs/api-design"),
      page("Design a union", "docs/guides/union"),
      page("Rules in the shadow of handwritten validation", "docs/guides/shadow-mode"),
      page("Go types", "docs/gotypes"),
      page("Unions", "docs/unions"),
      page("Validation by rules", "docs/validation"),
      page("Lint", "docs/lint"),
      page("The effect of a change of types on owners", "docs/schema-diff"),
    ],
  },
  {
    text: "Command line",
    items: [
      page("The command line", "docs/cli"),
      page("A million objects", "docs/fleets"),
      page("Clean up who owns what", "docs/managers"),
    ],
  },
  {
    text: "Engine and implementers",
    items: [
      page("The engine", "docs/engine"),
      page("Whole Kubernetes objects", "docs/managedfields"),
      page("The simulator", "docs/simulator"),
      page("The rules of server-side apply", "docs/semantics"),
      page("Conformance: results", "docs/conformance"),
      page("Conformance: the suite", "conformance/"),
      page("Compare engines", "docs/guides/compare-engines"),
      page("Differences from the reference", "docs/parity"),
      page("v6 and v7 of the Go module", "docs/v6-and-v7"),
      page("Benchmarks", "bench/"),
    ],
  },
  {
    text: "The code",
    items: [
      page("How it works", "docs/internals"),
      page("The engine, inside", "docs/internals/engine"),
      page("Kubernetes on top of it", "docs/internals/kubernetes"),
      page("The tools around it", "docs/internals/tools"),
      page("Contributing", "CONTRIBUTING"),
      page("The Go programs", "oracle/"),
      page("Changes", "CHANGELOG"),
    ],
  },
]

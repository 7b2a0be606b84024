// Shows long paths of fields, with line breaks between their steps.
import { stepsOf } from "../../src/tools/view/parts.js"

/** A path that breaks only between its steps, unless a step is longer than the line. */
export function PathText({ path }: { readonly path: string }) {
  return (
    <code class="path-text">
      {stepsOf(path).map((step, index) => (
        <span key={index}>
          {step}
          <wbr />
        </span>
      ))}
    </code>
  )
}

/** A path below another path in a tree. Hides the steps that both share, except from screen readers. */
export function PathBelow({ path, above }: { readonly path: string; readonly above: string }) {
  const steps = stepsOf(path)
  const others = stepsOf(above)
  let shared = 0
  while (shared < steps.length - 1 && steps[shared] === others[shared]) shared++
  return (
    <span class="path-below" style={{ paddingLeft: `${shared * 8}px` }} title={path}>
      <span class="hidden">{steps.slice(0, shared).join("")}</span>
      <PathText path={steps.slice(shared).join("")} />
    </span>
  )
}

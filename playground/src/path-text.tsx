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

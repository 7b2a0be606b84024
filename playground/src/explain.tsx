// A question mark that explains the terms of a part of the page.
import { Popover } from "./popover.js"
import { type Term, terms } from "./terms.js"

export function Explain({ part, label }: { readonly part: keyof typeof terms; readonly label: string }) {
  const list: readonly Term[] = terms[part]
  return (
    <Popover id={`terms-${part}`} text="?" label={`Explain ${label}`} buttonClass="explain" boxClass="terms">
      <dl>
        {list.map(([term, explanation]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{explanation}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  )
}

// The answer with which a server refuses a request, with each of its causes on a line of its own.
import { PathText } from "./path-text.js"

/** The parts of a Status that are shown. */
export interface RefusedStatus {
  readonly message: string
  readonly code: number
  readonly reason?: string
  readonly details?: { readonly causes?: readonly Cause[] }
}

/** A cause, with the place of its field in the editor if that is known. */
export interface Cause {
  readonly field?: string
  readonly message?: string
  readonly source?: { readonly line: number; readonly column: number }
}

export function Refusal(props: {
  readonly error: RefusedStatus
  /** The causes with places in the editor. */
  readonly causes?: readonly Cause[]
  readonly onGoTo?: (line: number, column: number) => void
}) {
  const { error, onGoTo } = props
  const { message, code, reason, details } = error
  const causes = distinct(props.causes ?? details?.causes ?? []).filter(({ field }) => isField(field))
  return (
    <div class="refusal">
      <p class="pre">
        {brief(causes.length > 0 ? subjectOf(message) : message)}{" "}
        <span class="muted">
          ({code}
          {reason !== undefined && ` ${reason}`})
        </span>
      </p>
      {causes.length > 0 && (
        <ul class="plain causes">
          {causes.map(({ field = "", message: why = "", source }) => (
            <li key={`${field} ${why}`}>
              <PathText path={field} />
              <span class="pre">{brief(why)}</span>
              {source !== undefined && onGoTo !== undefined && (
                <button type="button" class="link" onClick={() => onGoTo(source.line, source.column)}>
                  line {source.line}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** A server writes <nil> if it names no field. */
function isField(field: string | undefined): boolean {
  return field !== undefined && field !== "" && field !== "<nil>"
}

function distinct(causes: readonly Cause[]): Cause[] {
  return [...new Map(causes.map(cause => [`${cause.field} ${cause.message}`, cause])).values()]
}

/** Returns the message without the causes: `Deployment.apps "web" is invalid`. */
function subjectOf(message: string): string {
  const [, subject = message] = /^(.*? is invalid): /s.exec(message) ?? []
  return subject.replace(/^ *"" is/, "The patch is")
}

/** Cuts off long quoted values. A server quotes the whole object if a patch is wrong. */
function brief(message: string): string {
  return message.replaceAll(/"(?:[^"\\]|\\.){160,}"/g, value => `${value.slice(0, 60)}…"`)
}

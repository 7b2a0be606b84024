// The page while it reads the story in its address. A long one takes seconds.

/** `onRetry` is there if the engine could not be loaded. */
export function Opening({ onRetry }: { readonly onRetry?: () => void }) {
  return (
    <>
      <header class="top">
        <div class="top-title">
          <h1>Field manager playground</h1>
          <p role="status" class="muted story-title">
            Opening the story …
          </p>
        </div>
      </header>
      <main>
        <div class="notes">
          {onRetry !== undefined && (
            <p class="note danger" role="alert">
              The engine could not be loaded.{" "}
              <button type="button" class="link" onClick={onRetry}>
                Retry
              </button>
            </p>
          )}
        </div>
      </main>
    </>
  )
}

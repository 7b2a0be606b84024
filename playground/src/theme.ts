// The dark and the light theme. The system's setting applies until the user chooses.
const key = "playground-theme"

/** Restores the theme that the user chose before. */
export function restoreTheme(): void {
  const chosen = read()
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen
}

/** Switches to the other theme and stores the choice. */
export function toggleTheme(): void {
  const shown =
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
  const next = shown === "dark" ? "light" : "dark"
  document.documentElement.dataset.theme = next
  try {
    localStorage.setItem(key, next)
  } catch {
    // A page opened from a file may have no storage. Then the choice lasts until the page is closed.
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

// Dark and light: as the system has it, until somebody chooses.
const key = "playground-theme"

/** Takes the theme that was chosen before. */
export function restoreTheme(): void {
  const chosen = read()
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen
}

/** The other theme than the one that is shown. */
export function toggleTheme(): void {
  const shown =
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
  const next = shown === "dark" ? "light" : "dark"
  document.documentElement.dataset.theme = next
  try {
    localStorage.setItem(key, next)
  } catch {
    // A file that is opened without a server may have no storage: the theme lasts as long as the page.
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

// The dark and the light theme. The system's setting applies until the user chooses.
import { store, stored } from "./stored.js"

const key = "playground-theme"

/** Restores the theme that the user chose before. */
export function restoreTheme(): void {
  const chosen = stored(key)
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen
}

/** Switches to the other theme and stores the choice. */
export function toggleTheme(): void {
  const shown =
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
  const next = shown === "dark" ? "light" : "dark"
  document.documentElement.dataset.theme = next
  store(key, next)
}

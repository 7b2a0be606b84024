declare module "*.yaml?state" {
  const state: import("./state.js").State
  // biome-ignore lint/style/noDefaultExport: the build generates a default export
  export default state
}

declare module "*.yaml?preview" {
  const preview: import("./view.js").Preview
  // biome-ignore lint/style/noDefaultExport: the build generates a default export
  export default preview
}

declare module "*?start" {
  /** Starts a worker that runs the module. */
  const start: () => Worker
  // biome-ignore lint/style/noDefaultExport: the build generates a default export
  export default start
}

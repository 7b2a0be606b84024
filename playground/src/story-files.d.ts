declare module "*.yaml?state" {
  const state: import("./store.js").State
  // biome-ignore lint/style/noDefaultExport: the build generates a default export
  export default state
}

declare module "*.yaml?preview" {
  const preview: import("./play.js").Preview
  // biome-ignore lint/style/noDefaultExport: the build generates a default export
  export default preview
}

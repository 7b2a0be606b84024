declare module "*.yaml?state" {
  const state: import("./store.js").State
  // biome-ignore lint/style/noDefaultExport: as the build makes it
  export default state
}

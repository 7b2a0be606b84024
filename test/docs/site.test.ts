/** The menu of the site names every document. */
import { describe, expect, it } from "vitest"
import { sidebar } from "../../site/sidebar.mjs"
import { documents } from "../support/examples.js"

describe("the menu of the site", () => {
  it("has every document of docs/ once", () => {
    const links = sidebar.flatMap(({ items }) => items.map(({ link }) => link))
    const pages = documents()
      .filter(file => file.startsWith("docs/"))
      .map(file => `/${file.replace(/README\.md$/, "").replace(/\.md$/, "")}`)
    expect(links.filter(link => link.startsWith("/docs/")).sort()).toEqual(pages.sort())
  })
})

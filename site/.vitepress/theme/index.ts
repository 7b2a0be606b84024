import { inBrowser, type Theme, withBase } from "vitepress"
import DefaultTheme from "vitepress/theme-without-fonts"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp() {
    // The playground is built apart; build.mjs puts it into this folder.
    if (inBrowser) void import(/* @vite-ignore */ withBase("/playground/conflict-demo.js")).catch(() => {})
  },
} satisfies Theme

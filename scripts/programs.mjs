/**
 * The project's programs, by the script of package.json that runs them: `npm run laws -- plan` is `laws`, `plan`. The program named ""
 * runs if the first argument names none; a group without one needs a name. Programs under dist-test are compiled first, and `dist` too
 * if the program is marked with it.
 */
export const programs = {
  bench: {
    "": "dist-test/bench/main.js",
    apiserver: "dist-test/bench/apiserver.js",
    compare: "dist-test/bench/compare.js",
    controller: "dist-test/bench/controller.js",
    fleet: ["dist", "dist-test/bench/fleet.js"],
    load: "dist-test/test/apiserver/load/main.js",
    memory: "dist-test/bench/memory.js",
    scale: "dist-test/bench/scale.js",
    simulator: "dist-test/bench/simulator.js",
    validation: "dist-test/bench/validation.js",
  },
  fleet: {
    "": "dist-test/test/fleet/make.js",
    recipes: ["dist", "dist-test/test/fleet/main.js"],
  },
  fuzz: {
    "": "dist-test/test/fuzz/main.js",
    kinds: "dist-test/test/validation/fuzz/kinds.js",
    rules: "dist-test/test/validation/fuzz/main.js",
  },
  gotypes: {
    "": "dist-test/test/gotypes/kubernetes.js",
    projects: "dist-test/test/gotypes/projects.js",
  },
  laws: {
    applier: "dist-test/test/tools/controller/laws-main.js",
    controllers: "dist-test/test/apiserver/controllers/laws-main.js",
    managers: "dist-test/test/tools/managers/laws-main.js",
    ownership: "dist-test/test/tools/ownership/laws-main.js",
    plan: "dist-test/test/tools/ownership/server-laws-main.js",
    simulator: "dist-test/test/tools/simulator/laws-main.js",
    unions: "dist-test/test/union/laws/main.js",
  },
  replay: {
    appliers: "dist-test/test/tools/appliers/record.js",
    charts: "dist-test/test/tools/appliers/charts.js",
    kubectl: "dist-test/test/apiserver/kubectl/acceptance.js",
    plan: "dist-test/test/tools/ownership/api-server-main.js",
    random: "dist-test/test/apiserver/random-requests.js",
    stories: "dist-test/test/apiserver/replay.js",
    threads: "dist-test/test/tools/appliers/threads.js",
    upstream: ["dist", "oracle/upstream-apply/run.mjs"],
  },
}

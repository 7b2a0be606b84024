// Takes the place of the package yaml in the bundle of smd, and loads the package when it is first called: the fast reader reads most
// documents, and compiling the package takes 5 % of a start. `require` is the only way to load code in the middle of a call.
const file = "./yaml.cjs"
let loaded
function yaml() {
  loaded ??= require(file)
  return loaded
}

export function Composer(options) {
  return new (yaml().Composer)(options)
}
export function Lexer() {
  return new (yaml().Lexer)()
}
export function Parser() {
  return new (yaml().Parser)()
}
export const isAlias = node => yaml().isAlias(node)
export const isMap = node => yaml().isMap(node)
export const isScalar = node => yaml().isScalar(node)
export const isSeq = node => yaml().isSeq(node)

export const visit = (node, visitor) => yaml().visit(node, visitor)
Object.defineProperty(visit, "BREAK", { get: () => yaml().visit.BREAK })

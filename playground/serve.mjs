// Builds the playground and serves it on loopback:
//   npm run playground [-- --port 8086]
import { buildPlayground } from "./build.mjs"
import { serveSite } from "./server.mjs"

const flag = process.argv.indexOf("--port")
const port = flag < 0 ? 8086 : Number(process.argv[flag + 1])
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write("--port takes a number from 0 to 65535\n")
  process.exit(1)
}
await buildPlayground()
try {
  const { url } = await serveSite(port)
  console.log(`The playground is at ${url} until Ctrl+C. playground/dist/offline.html is the same in one file.`)
} catch (error) {
  if (error.code !== "EADDRINUSE") throw error
  process.stderr.write(`Port ${port} is taken: npm run playground -- --port 0 finds a free one\n`)
  process.exit(1)
}

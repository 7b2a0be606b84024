// The test API server on a port of this machine. The only code outside the command line that needs Node.
export { type Listening, type ListenOptions, listen } from "./listen.js"

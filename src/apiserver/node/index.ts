// The test API server on a port of this machine. Apart from the command line, only this entry needs Node.
export { type Listening, type ListenOptions, listen } from "./listen.js"

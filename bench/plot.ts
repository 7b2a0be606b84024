/** A line of a plot: pairs of size and nanoseconds per item, all above 0. */
export interface Line {
  readonly name: string
  readonly points: readonly (readonly [number, number])[]
}

const width = 720
const height = 440
const margin = { left: 70, right: 170, top: 50, bottom: 50 }
const colors = ["#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#b8860b", "#444444", "#00868b"]

/** Draws an SVG with two logarithmic axes. */
export function plot(title: string, item: string, lines: readonly Line[]): string {
  const sizes = lines.flatMap(({ points }) => points.map(([size]) => size))
  const costs = lines.flatMap(({ points }) => points.map(([, cost]) => cost))
  const x = scale(Math.min(...sizes), Math.max(...sizes), margin.left, width - margin.right)
  const y = scale(decadeBelow(Math.min(...costs)), decadeAbove(Math.max(...costs)), height - margin.bottom, margin.top)
  const body = [
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(margin.left, 26, title, "start", 15),
    text((margin.left + width - margin.right) / 2, height - 12, `number of ${item}s`, "middle"),
    text(margin.left, 42, `nanoseconds per ${item}`, "start"),
    ...[...new Set(sizes)].map(size => verticalRule(x(size), String(size))),
    ...decades(Math.min(...costs), Math.max(...costs)).map(cost => horizontalRule(y(cost), String(cost))),
    ...lines.flatMap((line, i) => curve(line, colors[i % colors.length] as string, x, y)),
    ...legend(lines),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif">\n${body.join("\n")}\n</svg>\n`
}

type Scaling = (value: number) => number

function scale(low: number, high: number, from: number, to: number): Scaling {
  const span = Math.log(high) - Math.log(low) || 1
  return value => Math.round((from + ((Math.log(value) - Math.log(low)) / span) * (to - from)) * 10) / 10
}

function decadeBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value))
}

function decadeAbove(value: number): number {
  return 10 ** Math.ceil(Math.log10(value))
}

function decades(low: number, high: number): number[] {
  const out: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) out.push(10 ** power)
  return out
}

function verticalRule(x: number, label: string): string {
  return (
    `<line x1="${x}" x2="${x}" y1="${margin.top}" y2="${height - margin.bottom}" stroke="#eeeeee"/>` +
    text(x, height - margin.bottom + 16, label, "middle")
  )
}

function horizontalRule(y: number, label: string): string {
  return (
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}" stroke="#cccccc"/>` +
    text(margin.left - 6, y + 4, label, "end")
  )
}

function curve({ points }: Line, color: string, x: Scaling, y: Scaling): string[] {
  const places = points.map(([size, cost]) => [x(size), y(cost)] as const)
  return [
    `<polyline points="${places.map(place => place.join(",")).join(" ")}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`),
  ]
}

function legend(lines: readonly Line[]): string[] {
  const left = width - margin.right + 16
  return lines.flatMap(({ name }, i) => {
    const top = margin.top + 20 * i + 10
    const color = colors[i % colors.length] as string
    return [
      `<rect x="${left}" y="${top - 8}" width="12" height="4" fill="${color}"/>`,
      text(left + 18, top - 2, name, "start"),
    ]
  })
}

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end", size = 11): string {
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}">${content}</text>`
}

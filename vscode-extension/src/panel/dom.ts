// Elements in one expression, colours of the theme, and canvases that follow their size and the theme.

type Child = Node | string | undefined | false
type Props = Record<string, unknown>

/** An element with attributes (`aria-label`, `class`), listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue
    if (name.startsWith('on') && typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener)
    else if (name.startsWith('aria-') || typeof value !== 'boolean') element.setAttribute(name, String(value))
    else if (value) element.setAttribute(name, '')
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false))
  return element
}

/** A colour of the theme. */
export function themeColor(...names: string[]): string {
  const style = getComputedStyle(document.documentElement)
  for (const name of names) {
    const value = style.getPropertyValue(`--vscode-${name}`).trim()
    if (value) return value
  }
  return style.color
}

/** Pixels from the top of an element to the bottom of the window when the page is not scrolled. */
export function roomBelow(element: HTMLElement, least: number): number {
  return Math.max(least, innerHeight - (element.getBoundingClientRect().top + scrollY))
}

const themed = new Set<() => void>()
/** Calls back when the theme changes, until the result is called. */
export function onTheme(listener: () => void): () => void {
  themed.add(listener)
  return () => themed.delete(listener)
}
new MutationObserver(() => themed.forEach(listener => listener())).observe(document.body, { attributes: true, attributeFilter: ['class'] })

/** A canvas as wide as its parent; `height` gives its height for a width. Drawn at most once a frame, in CSS pixels. */
export class Sheet {
  readonly element: HTMLCanvasElement
  width = 0
  height = 0
  private frame = 0
  private readonly resized: ResizeObserver
  private readonly forget: () => void

  constructor(label: string, private readonly heightFor: (width: number) => number, private readonly paint: (context: CanvasRenderingContext2D) => void) {
    this.element = h('canvas', { tabindex: 0, role: 'img', 'aria-label': label })
    this.resized = new ResizeObserver(() => this.fit())
    this.forget = onTheme(() => this.draw())
  }

  attach(parent: HTMLElement): void {
    parent.append(this.element)
    this.resized.observe(parent)
    this.fit()
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    this.resized.disconnect()
    this.forget()
  }

  fit(): void {
    const width = this.element.parentElement?.clientWidth ?? 0
    if (width === 0) return
    this.width = width
    this.height = this.heightFor(width)
    const ratio = devicePixelRatio
    this.element.width = Math.round(this.width * ratio)
    this.element.height = Math.round(this.height * ratio)
    this.element.style.width = `${this.width}px`
    this.element.style.height = `${this.height}px`
    this.draw()
  }

  draw(): void {
    cancelAnimationFrame(this.frame)
    this.frame = requestAnimationFrame(() => {
      const context = this.element.getContext('2d')
      if (!context || this.width === 0) return
      context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
      context.clearRect(0, 0, this.width, this.height)
      context.font = `11px ${getComputedStyle(document.body).fontFamily}`
      this.paint(context)
    })
  }
}

/** A small text that follows the pointer. */
export class Tip {
  readonly element = h('div', { class: 'tip', role: 'presentation', hidden: true })

  show(text: string, x: number, y: number, width: number): void {
    this.element.textContent = text
    this.element.hidden = false
    const own = this.element.offsetWidth
    this.element.style.left = `${Math.max(0, Math.min(x + 14, width - own - 2))}px`
    this.element.style.top = `${y > 34 ? y - 32 : y + 18}px`
  }

  hide(): void {
    this.element.hidden = true
  }
}

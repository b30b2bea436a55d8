// The pipeline's page: the stages at the left, the chosen one beside them, and what its rewrite rules did below.

import { h } from '../panel/dom'
import { StageAbout } from '../protocol'
import { Listing } from './listing'
import { FromPipeline, Look, Stages, StageText, ToPipeline } from './messages'
import { changedRows, isNew, plainRows } from './rows'
import { rulesTable } from './rules'
import { sentence, time } from './words'

declare function acquireVsCodeApi(): { postMessage(message: FromPipeline): void; getState(): Look | undefined; setState(look: Look): void }

const PROGRAMS = { fast: 'as it is run', plain: 'as the textbook computes it', loops: 'its loops are in the file' }
const FORMS: Record<string, string> = { loops: 'Loops', uir: '.uir', c: 'C', asm: 'Assembly' }

class Page {
  private readonly api = acquireVsCodeApi()
  private look: Look = this.api.getState() ?? { plain: false, forms: {}, changes: true, hide: true }
  private stages: Stages | undefined
  private text: StageText | undefined
  private readonly headPlace = h('header', {})
  private readonly list = h('div', { class: 'stages', role: 'listbox', 'aria-label': 'Stages of the compilation', tabindex: 0 })
  private readonly aboutPlace = h('div', { class: 'about' })
  private readonly rulesPlace = h('section', { class: 'rules', hidden: true })
  private readonly listing = new Listing(line => this.post({ type: 'goto', line }))

  constructor() {
    document.body.append(this.headPlace, h('main', {}, this.list, h('div', { class: 'stage' }, this.aboutPlace, this.listing.element, this.rulesPlace)))
    window.addEventListener('message', (event: MessageEvent<ToPipeline>) => this.take(event.data))
    this.list.addEventListener('keydown', event => this.key(event))
    this.post({ type: 'ready', look: this.api.getState() })
  }

  private post(message: FromPipeline): void {
    this.api.postMessage(message)
  }

  private take(message: ToPipeline): void {
    if (message.type === 'stages') this.show(message.look, message.stages)
    else if (message.type === 'text') this.showText(message.text)
    else if (message.type === 'busy') document.body.classList.toggle('busy', message.what !== '')
    else this.listing.light(message.line)
  }

  // -- what is looked at -------------------------------------------------------------------------------------------
  private show(look: Look, stages: Stages): void {
    // Of the same program what the person has chosen meanwhile stands; the answer may have been on its way.
    const same = this.stages !== undefined && look.uri === this.look.uri && look.value === this.look.value && look.plain === this.look.plain
    if (!same) this.look = look
    this.stages = stages
    this.api.setState(this.look)
    this.drawHead()
    this.drawList()
    this.ask()
  }

  private change(part: Partial<Look>): void {
    this.look = { ...this.look, ...part }
    this.api.setState(this.look)
    this.post({ type: 'look', look: this.look })
    this.drawHead()
    this.drawList()
    if (this.text && !('plain' in part)) this.ask()
  }

  private get shown(): StageAbout[] {
    return (this.stages?.stages ?? []).filter(stage => !this.look.hide || stage.changed !== false)
  }

  /** The stage that is chosen; at first the last one whose loops can be read. */
  private get chosen(): StageAbout | undefined {
    const { shown } = this
    return shown.find(({ name }) => name === this.look.stage) ?? shown.findLast(({ forms }) => forms.includes('loops')) ?? shown[0]
  }

  private formOf(stage: StageAbout): string {
    const wanted = this.look.forms[stage.name]
    return wanted && stage.forms.includes(wanted) ? wanted : (stage.forms[0] ?? 'uir')
  }

  private ask(): void {
    const stage = this.chosen
    if (stage) this.post({ type: 'text', stage: stage.name, form: this.formOf(stage) })
    else this.drawNothing()
  }

  // -- head and list -----------------------------------------------------------------------------------------------
  private drawHead(): void {
    const { stages, look } = this
    if (!stages) return
    document.body.classList.toggle('nothing', stages.stages.length === 0)
    const focused = document.activeElement?.id
    const which = stages.program && stages.program !== 'loops' ? h('div', { class: 'choice', role: 'group', 'aria-label': 'Which program' },
      this.toggle('textbook', 'Textbook', look.plain, () => this.change({ plain: true })),
      this.toggle('as-run', 'As run', !look.plain, () => this.change({ plain: false }))) : undefined
    const total = stages.program ? `${PROGRAMS[stages.program]} · ${time(stages.total)}` : ''
    const hide = h('input', { type: 'checkbox', id: 'hide', checked: look.hide, onchange: () => this.change({ hide: !this.look.hide }) })
    this.headPlace.replaceChildren(
      h('h1', {}, stages.file, stages.value ? ` to ${stages.value}` : ''), h('span', { class: 'muted' }, total), h('span', { class: 'gap' }),
      ...(which ? [which] : []), h('label', { class: 'hide' }, hide, 'Hide stages that changed nothing'),
      ...(stages.message ? [h('p', { class: 'stale', role: 'status' }, stages.stages.length > 0 ? `The last good program: ${stages.message}` : sentence(stages.message))] : []))
    if (focused) document.getElementById(focused)?.focus()
  }

  private toggle(id: string, title: string, on: boolean, press: () => void): HTMLElement {
    return h('button', { id, class: 'mode', 'aria-pressed': String(on), onclick: press }, title)
  }

  private drawList(): void {
    const chosen = this.chosen?.name
    const slowest = Math.max(...this.shown.map(({ ms }) => ms ?? 0), 0.001)
    this.list.replaceChildren(...this.shown.map(stage => h('div', {
      class: 'entry', role: 'option', id: `stage-${stage.name}`, 'aria-selected': String(stage.name === chosen), 'data-stage': stage.name,
      onclick: () => this.change({ stage: stage.name }),
    },
    h('div', { class: 'row' }, h('span', { class: 'title' }, stage.title), h('span', { class: 'time' }, stage.ms === null ? '' : time(stage.ms))),
    h('div', { class: 'row detail' }, h('span', {}, size(stage)), h('span', {}, ...changed(stage))),
    bar((stage.ms ?? 0) / slowest))))
    if (chosen) this.list.setAttribute('aria-activedescendant', `stage-${chosen}`)
    this.list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  private key(event: KeyboardEvent): void {
    const at = this.shown.findIndex(({ name }) => name === this.chosen?.name)
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: this.shown.length - 1 }[event.key]
    const stage = to === undefined ? undefined : this.shown[to]
    if (to === undefined) return
    event.preventDefault()
    if (stage) this.change({ stage: stage.name })
  }

  // -- one stage ---------------------------------------------------------------------------------------------------
  private showText(text: StageText): void {
    const stage = this.chosen
    if (!stage || text.stage !== stage.name || text.form !== this.formOf(stage)) return
    const same = this.text?.stage === text.stage && this.text.form === text.form
    this.text = text
    const changes = this.look.changes && text.difference !== null
    this.drawAbout(stage, text, changes)
    this.listing.show(text, changes && !isNew(text) ? changedRows(text) : plainRows(text), same)
    this.rulesPlace.hidden = stage.rules.length === 0
    this.rulesPlace.replaceChildren(...(stage.rules.length > 0 ? rulesTable(stage.rules, stage.ms) : []))
  }

  private drawAbout(stage: StageAbout, text: StageText, changes: boolean): void {
    const focused = document.activeElement?.id
    const forms = stage.forms.length > 1 ? [h('div', { class: 'choice', role: 'group', 'aria-label': 'Written as' }, ...stage.forms.map(form =>
      this.toggle(`form-${form}`, FORMS[form] ?? form, form === text.form, () => this.change({ forms: { ...this.look.forms, [stage.name]: form } }))))] : []
    const diff = h('button', { id: 'diff', onclick: () => this.post({ type: 'diff', stage: stage.name, form: text.form }) }, 'Open Diff')
    const compare = text.difference && isNew(text) ? [h('span', { class: 'muted' }, 'every line is new'), diff] : text.difference ? [
      h('label', {}, h('input', { type: 'checkbox', id: 'changes', checked: changes, onchange: () => this.change({ changes: !this.look.changes }) }), 'Show changes'),
      diff,
    ] : []
    const trust = text.message && this.stages?.restricted && stage.name === 'assembly' ? [h('button', { id: 'trust', class: 'primary', onclick: () => this.post({ type: 'trust' }) }, 'Manage Trust')] : []
    this.aboutPlace.replaceChildren(h('p', {}, text.message ?? stage.about), h('div', { class: 'tools' }, ...forms, ...compare, ...trust))
    if (focused) document.getElementById(focused)?.focus()
  }

  private drawNothing(): void {
    this.aboutPlace.replaceChildren()
    this.rulesPlace.hidden = true
    this.listing.show({ stage: '', form: '', language: '', lines: [], map: [], difference: null, before: null }, [], false)
  }
}

function size(stage: StageAbout): string {
  const lines = stage.lines > 0 ? `${stage.lines.toLocaleString('en')} line${stage.lines === 1 ? '' : 's'}` : ''
  return stage.nodes === null ? lines : `${stage.nodes.toLocaleString('en')} node${stage.nodes === 1 ? '' : 's'}`
}

function changed({ changed, added, removed, rules }: StageAbout): (Node | string)[] {
  if (changed === false) return ['no change']
  const applied = rules.reduce((sum, { count }) => sum + count, 0)
  const rewrites = applied > 0 ? [h('span', { title: 'rewrites' }, `${applied.toLocaleString('en')} rewrites `)] : []
  if (changed === null) return rewrites
  return [...rewrites, h('span', { class: 'plus' }, `+${added}`), ' ', h('span', { class: 'minus' }, `−${removed}`)]
}

/** How long a stage took, beside the longest. */
function bar(part: number): HTMLElement {
  const filled = h('i', {})
  filled.style.width = `${Math.round(100 * part)}%`
  return h('div', { class: 'bar', 'aria-hidden': 'true' }, filled)
}

new Page()

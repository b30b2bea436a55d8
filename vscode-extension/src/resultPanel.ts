// The result panel as the editor knows it: made, placed, restored, and what is said between it and the extension.

import * as vscode from 'vscode'
import { Elements, FromPanel, PanelState, ToPanel } from './panel/messages'
import { EditorLayout, Place, placeOfGroup } from './placement'
import { givePage, PAGE_OPTIONS } from './page'

export const VIEW_TYPE = 'uir.result'
const PLACE_KEY = 'uir.result.place'
const SEEN_MS = 400 // in which a page that is shown has drawn what it was told

export interface PanelOwner {
  state(): PanelState
  elementsOf(state: PanelState): Elements[] | undefined
  /** The panel is back after a reload and shows what it showed before. */
  restored(state: PanelState | undefined): void
  receive(message: FromPanel): void
  closed(): void
}

export class ResultPanel implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined
  private subscriptions: vscode.Disposable[] = []
  private revived = false
  private sent: number | undefined // the time of the run whose elements the panel has
  private fresh = false // made a moment ago: what it was told before it was ready, it will get
  private seen: number | undefined // the time of the run that was on its screen last
  private waiting: (() => void) | undefined
  private put: Place | undefined // where we put it; anywhere else, a person did
  private moving = false
  private cursor: vscode.TextEditor | undefined // where it was before the panel came, which takes it once more when it has loaded
  private readonly serializer = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, this),
    vscode.window.onDidChangeVisibleTextEditors(editors => void this.makeRoom(editors)),
  )

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly owner: PanelOwner,
  ) {}

  dispose(): void {
    this.serializer.dispose()
    this.panel?.dispose()
  }

  get isOpen(): boolean {
    return this.panel !== undefined
  }

  /** Opens it where it was last, or comes to front; the cursor stays in the text unless `focus`. */
  async show(focus = false): Promise<void> {
    if (this.panel) {
      if (focus || !this.panel.visible) this.panel.reveal(this.panel.viewColumn, !focus)
      return
    }
    const wanted = this.context.globalState.get<Place>(PLACE_KEY)
    const editor = vscode.window.activeTextEditor
    const neighbour = neighbourOf(editor)
    const below = wanted === 'below' || (wanted === undefined && neighbour !== undefined) // nothing that is shown is covered
    const viewColumn = below ? (neighbour ?? vscode.ViewColumn.Active) : vscode.ViewColumn.Beside
    this.put = below ? 'below' : 'beside'
    this.moving = below
    const panel = vscode.window.createWebviewPanel(VIEW_TYPE, this.title, { viewColumn, preserveFocus: !focus && !below }, { ...PAGE_OPTIONS, enableFindWidget: true })
    this.fresh = true
    this.take(panel)
    if (below) await this.moveBelow(focus ? undefined : editor)
  }

  /** Puts the panel, which has the focus, below the group that it is in, and the cursor back into a text. */
  private async moveBelow(editor: vscode.TextEditor | undefined): Promise<void> {
    this.cursor = editor
    await vscode.commands.executeCommand('workbench.action.moveEditorToBelowGroup') // there is no such ViewColumn
    this.moving = false
    if (editor) await giveBack(editor)
  }

  /** Generated C that opens between the text and the panel makes three narrow columns: the panel goes below it. */
  private async makeRoom(editors: readonly vscode.TextEditor[]): Promise<void> {
    const shown = editors.find(({ document }) => document.uri.scheme === 'uir-c')
    const { panel } = this
    if (!shown?.viewColumn || !panel?.visible || this.moving || this.put !== 'beside' || shown.viewColumn === panel.viewColumn) return
    if (this.context.globalState.get<Place>(PLACE_KEY) !== undefined) return // a person chose where it stands
    const editor = vscode.window.activeTextEditor
    this.moving = true
    this.put = 'below'
    panel.reveal(shown.viewColumn, false)
    await this.moveBelow(editor)
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.panel) return panel.dispose()
    this.revived = true
    this.take(panel)
  }

  post(message: ToPanel): void {
    void this.panel?.webview.postMessage(message)
  }

  private get title(): string {
    const { file } = this.owner.state()
    return file ? `Result: ${file.name}` : 'Result'
  }

  /** Resolves when a run that the panel was told of is on its screen, or will not be soon. */
  async untilSeen(time: number): Promise<void> {
    this.waiting?.() // for a run before it
    if (!this.panel?.visible || this.seen === time) return
    await new Promise<void>(resolve => {
      this.waiting = resolve
      setTimeout(resolve, SEEN_MS)
    })
  }

  /** Shows the state, and the file's name in the tab. */
  update(): void {
    const state = this.owner.state()
    const { title } = this
    if (this.panel && this.panel.title !== title) this.panel.title = title
    const elements = state.run?.time === this.sent ? undefined : this.owner.elementsOf(state)
    if (elements) this.sent = state.run?.time
    this.post({ type: 'state', state, elements })
  }

  private take(panel: vscode.WebviewPanel): void {
    this.panel = panel
    this.subscriptions = [
      panel.webview.onDidReceiveMessage((message: FromPanel) => this.receive(message)),
      panel.onDidChangeViewState(() => void this.rememberPlace(panel)),
      panel.onDidDispose(() => {
        vscode.Disposable.from(...this.subscriptions).dispose()
        this.panel = undefined
        this.sent = undefined
        this.owner.closed()
      }),
    ]
    givePage(panel, this.context.extensionUri, 'Result', ['panel.css'], 'panel.js')
  }

  private receive(message: FromPanel): void {
    if (message.type === 'seen') {
      this.seen = message.time
      return this.waiting?.()
    }
    if (message.type !== 'ready') return this.owner.receive(message)
    if (this.cursor && this.panel?.active) void giveBack(this.cursor)
    this.cursor = undefined
    if (!this.owner.state().run && this.revived) this.owner.restored(message.state)
    this.revived = false
    if (!this.fresh) this.sent = undefined
    this.fresh = false
    this.update()
  }

  private async rememberPlace({ viewColumn }: vscode.WebviewPanel): Promise<void> {
    if (!viewColumn || viewColumn < 1 || this.moving) return
    const layout = await vscode.commands.executeCommand<EditorLayout>('vscode.getEditorLayout')
    if (layout.groups.length < 2 && !layout.groups[0]?.groups) return
    const place = placeOfGroup(layout, viewColumn)
    if (this.moving) return
    if (this.put !== undefined && place !== this.put) await this.context.globalState.update(PLACE_KEY, place)
    this.put = place
  }
}

async function giveBack(editor: vscode.TextEditor): Promise<void> {
  await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.One, selection: editor.selection })
}

/** The column beside the text in which its generated C or another view of it is shown. */
function neighbourOf(editor: vscode.TextEditor | undefined): vscode.ViewColumn | undefined {
  const isOurs = (tab: vscode.Tab | undefined) =>
    tab?.input instanceof vscode.TabInputText ? tab.input.uri.scheme === 'uir-c' : tab?.input instanceof vscode.TabInputWebview && /-uir\./.test(tab.input.viewType)
  return vscode.window.tabGroups.all.find(({ viewColumn, activeTab }) => viewColumn !== editor?.viewColumn && isOurs(activeTab))?.viewColumn
}

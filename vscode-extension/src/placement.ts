// Where the result panel stands among the editors, so that it opens there again.

/** What `vscode.getEditorLayout` gives: orientation 0 sets groups side by side, 1 one above the other. */
export interface EditorLayout {
  orientation: 0 | 1
  groups: Group[]
}
interface Group {
  groups?: Group[]
}

export type Place = 'beside' | 'below'

/** Whether the group with this number (from 1, in reading order) stands below another, or beside. */
export function placeOfGroup(layout: EditorLayout, column: number): Place {
  let seen = 0
  const pending: { group: Group; vertical: boolean; position: number; parent: Place }[] = []
  const push = (groups: readonly Group[], vertical: boolean, parent: Place) => {
    for (let k = groups.length - 1; k >= 0; k--) pending.push({ group: groups[k] ?? {}, vertical, position: k, parent })
  }
  push(layout.groups, layout.orientation === 1, 'beside')
  for (let next = pending.pop(); next; next = pending.pop()) {
    const place = next.position === 0 ? next.parent : next.vertical ? 'below' : 'beside'
    if (next.group.groups?.length) push(next.group.groups, !next.vertical, place)
    else if (++seen === column) return place
  }
  return 'beside'
}

export type Selection = {
  ids: ReadonlySet<string>;
  /** Also on other pages. */
  everything: boolean;
  /** The row from which a shift-click selects. */
  anchor: string | null;
};

export const nothingSelected: Selection = { ids: new Set(), everything: false, anchor: null };

export function clickRow(
  selection: Selection,
  id: string,
  { order, withShift, checked }: { order: readonly string[]; withShift: boolean; checked: boolean },
): Selection {
  const ids = new Set(selection.ids);
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  const range =
    withShift && from >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  for (const each of range) {
    if (checked) ids.add(each);
    else ids.delete(each);
  }
  return { ids, everything: false, anchor: id };
}

export function selectPage(order: readonly string[], checked: boolean): Selection {
  return checked ? { ids: new Set(order), everything: false, anchor: null } : nothingSelected;
}

export function isWholePage({ ids }: Selection, order: readonly string[]): boolean {
  return order.length > 0 && ids.size === order.length;
}

export function keepExisting(selection: Selection, order: readonly string[]): Selection {
  const gone = [...selection.ids].filter((id) => !order.includes(id));
  if (gone.length === 0) return selection;
  const ids = new Set(order.filter((id) => selection.ids.has(id)));
  return { ...selection, ids, everything: selection.everything && ids.size > 0 };
}

interface Listed {
  open: boolean;
}

/**
 * A turn's list with new todos in it: those without an order come last, the others stand where
 * they ask to stand among the open ones. Equal orders keep the order in which they were given.
 */
export function placeTodos<
  Known extends Listed,
  Added extends Listed & { order?: number | undefined },
>(known: readonly Known[], added: readonly Added[]): (Known | Added)[] {
  const list: (Known | Added)[] = [...known, ...added.filter(({ order }) => order === undefined)];
  const ordered = added
    .flatMap((todo) => (todo.order === undefined ? [] : [{ todo, order: todo.order }]))
    .sort((a, b) => a.order - b.order);
  let free = 0;
  for (const { todo, order } of ordered) {
    const at = Math.max(free, placeOfOpen(list, order));
    list.splice(at, 0, todo);
    free = at + 1;
  }
  return list;
}

/** Where the n-th open one stands; the end when there are fewer. */
function placeOfOpen(list: readonly Listed[], n: number): number {
  let seen = 0;
  const at = list.findIndex(({ open }) => {
    if (open) seen += 1;
    return open && seen === n;
  });
  return at < 0 ? list.length : at;
}

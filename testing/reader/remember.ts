const forgetting: (() => void)[] = [];

/**
 * What was found out about an element is kept until a page changes: a test asks for a button, and the reader would look
 * at the role and the name of each element again for every question.
 */
export function remember<E extends object, T>(look: (element: E) => T): (element: E) => T {
  const known = new Map<E, T>();
  forgetting.push(() => known.clear());
  return (element) => {
    const found = known.get(element);
    if (found !== undefined || known.has(element)) return found as T;
    const seen = look(element);
    known.set(element, seen);
    return seen;
  };
}

/** After each step that may have changed an element: of every page, because that is simple and costs little. */
export function forgetAll(): void {
  for (const forget of forgetting) forget();
}

const MOST_KNOWN = 1_000;
const LONGEST_KEY = 4_096;

/** A full map is emptied; long keys aren't cached. */
export function remembered<Value>(
  known: Map<string, Value>,
  key: string,
  make: () => Value,
): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = make();
  if (key.length > LONGEST_KEY) return value;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, value);
  return value;
}

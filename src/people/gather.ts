type Methods<T> = Pick<T, keyof T>;
type Gathered<Parts extends readonly object[]> = Parts extends readonly [
  infer First extends object,
  ...infer Rest extends readonly object[],
]
  ? Methods<First> & Gathered<Rest>
  : unknown;

/** One object with the methods of several, for callers who should not have to know which part does what. */
export function gather<const Parts extends readonly object[]>(...parts: Parts): Gathered<Parts> {
  const whole: Record<string, unknown> = {};
  for (const part of parts) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
      const method: unknown = Reflect.get(part, name);
      if (name === 'constructor' || typeof method !== 'function') continue;
      if (name in whole) throw new TypeError(`two parts have a method ${name}`);
      whole[name] = method.bind(part);
    }
  }
  return whole as Gathered<Parts>;
}

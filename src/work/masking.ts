import { type Mask, MASK } from '#domain/runs/masking';
import { JsonText } from './resources/resource.ts';
import { decodeBody } from './run-detail.ts';

/** The same with masks for the values of hidden fields, at any depth. Names of properties stay. */
export function maskDeep<Thing>(thing: Thing, mask: Mask): Thing {
  return mask.hidesAny ? (maskValue(thing, mask) as Thing) : thing;
}

function maskValue(thing: unknown, mask: Mask): unknown {
  if (typeof thing === 'string') return mask.hide(thing);
  if (thing instanceof Uint8Array) return maskBytes(thing, mask);
  if (thing instanceof JsonText) return new JsonText(mask.hide(thing.text));
  if (thing instanceof Map) return maskMap(thing, mask);
  if (Array.isArray(thing)) return thing.map((each) => maskValue(each, mask));
  if (typeof thing !== 'object' || thing === null) return thing;
  return maskMembers(thing, mask);
}

/** Configured headers are a map too. */
function maskMap(map: Map<unknown, unknown>, mask: Mask): Map<unknown, unknown> {
  return new Map(
    [...map].map(([key, value]) => {
      const isHidden = typeof key === 'string' && mask.isHidden(key);
      return [key, isHidden ? MASK : maskValue(value, mask)];
    }),
  );
}

function maskBytes(bytes: Uint8Array, mask: Mask): Uint8Array {
  const text = decodeBody(bytes);
  const shown = mask.hide(text);
  return shown === text ? bytes : new TextEncoder().encode(shown);
}

function maskMembers(thing: object, mask: Mask): object {
  const members = Object.entries(thing).map(([key, value]) => {
    if (key === 'headers' && Array.isArray(value)) {
      return [key, maskHeaders(value, mask, 'totalBytes' in thing)];
    }
    // Configured, and without values of a run.
    if (key === 'assertion' || (key === 'assertions' && !isVerdicts(value))) return [key, value];
    return [key, maskValue(value, mask)];
  });
  return Object.assign(Object.fromEntries(members) as object, hiddenMembers(thing, mask));
}

type Headers = readonly (readonly [string, string] | { name: string; value: string | null })[];

/** Other headers of requests are left whole, so that a form can save them. */
function maskHeaders(headers: Headers, mask: Mask, isOfResponse: boolean): Headers {
  const show = (text: string) => (isOfResponse ? mask.hide(text) : text);
  return headers.map((header) => {
    if ('name' in header) {
      return mask.isHidden(header.name) ? { ...header, value: null, isSecret: true } : header;
    }
    const [name, value] = header;
    return [name, mask.isHidden(name) ? MASK : show(value)] as const;
  });
}

function isVerdicts(value: unknown): boolean {
  return Array.isArray(value) && value.some((each) => 'assertion' in Object(each));
}

/** Values that were found at a path, or of a header that changes. */
function hiddenMembers(thing: object, mask: Mask): object {
  if ('assertion' in thing && 'got' in thing) {
    const { path, ...assertion } = thing.assertion as { path?: string };
    if (path === undefined || !mask.isHiddenPath(path)) return {};
    return { assertion: { ...assertion, path, expected: MASK }, expected: MASK, got: MASK };
  }
  if ('path' in thing && 'values' in thing && mask.isHiddenPath(String(thing.path))) {
    const values = Object.keys(thing.values as object).map((key) => [key, MASK]);
    return { values: Object.fromEntries(values) as object };
  }
  if ('field' in thing && 'from' in thing && 'to' in thing) {
    const header = /^headers\.(.*)$/s.exec(String(thing.field))?.[1];
    const hide = (value: unknown) => (value === null ? null : MASK);
    if (header !== undefined && mask.isHidden(header))
      return { from: hide(thing.from), to: hide(thing.to) };
  }
  return {};
}

/**
 * Walks a JSON text without building a tree: a tree of a megabyte takes a third of a second. If a key occurs more
 * than once, its last value is reported, at the place of the first (§2.6).
 */
import { decodeString, MAX_JSON_DEPTH } from './json-text.ts';
import { JsonScanner, walkValue } from './json-scan.ts';
import type { ContainerKind, JsonVisitor, ScalarKind } from './json-scan.ts';

/** Receives each part of a value. A token is `text.slice(start, end)`. */
export interface JsonSink {
  open(kind: ContainerKind): void;
  close(): void;
  key(start: number, end: number, isEscaped: boolean): void;
  scalar(kind: ScalarKind, start: number, end: number, isEscaped: boolean): void;
}

/**
 * The values to replace or skip because their key occurs more than once, by their positions in the text; null if
 * there are none.
 */
interface Duplicates {
  /**
   * By the position of a key's first value: where this value ends, and where the last value, which replaces it,
   * begins.
   */
  replaced: Map<number, { end: number; winsAt: number }>;
  /** By the position of each later occurrence of a key: where its value ends. */
  skipped: Map<number, number>;
}

/**
 * Throws on text that is not JSON or is nested more deeply than `MAX_JSON_DEPTH`. Such a payload is never accepted,
 * so it cannot be stored.
 */
export function walkDistinct(text: string, sink: JsonSink): void {
  const scanner = new JsonScanner(text);
  const finder = new DuplicateFinder(scanner);
  const outcome = walkValue(scanner, finder);
  if (outcome === 'stopped') throw new TypeError('Payload text is too-deep');
  if (outcome === 'malformed' || !scanner.takeEnd())
    throw new TypeError('Payload text is malformed');
  walkFrom(0, text, sink, finder.found);
}

function walkFrom(start: number, text: string, sink: JsonSink, duplicates: Duplicates | null) {
  const scanner = new JsonScanner(text);
  scanner.at = start;
  walkValue(scanner, new Teller(scanner, sink, duplicates));
}

/** Passes the values that count on to the sink. `walkFrom` recurses at most as deep as the text is nested. */
class Teller implements JsonVisitor {
  readonly #scanner: JsonScanner;
  readonly #sink: JsonSink;
  readonly #duplicates: Duplicates | null;
  #skipTo: number | null = null;

  constructor(scanner: JsonScanner, sink: JsonSink, duplicates: Duplicates | null) {
    this.#scanner = scanner;
    this.#sink = sink;
    this.#duplicates = duplicates;
  }

  enter(kind: ContainerKind, start: number): true | number {
    const behind = this.#pass(start);
    if (behind !== null) return behind;
    this.#sink.open(kind);
    return true;
  }

  leave(): void {
    this.#sink.close();
  }

  key(start: number, end: number, isEscaped: boolean): void {
    this.#skipTo = this.#duplicates?.skipped.get(start) ?? null;
    if (this.#skipTo === null) this.#sink.key(start, end, isEscaped);
  }

  scalar(kind: ScalarKind, start: number): void {
    const { at, isEscaped } = this.#scanner;
    if (this.#pass(start) === null) this.#sink.scalar(kind, start, at, isEscaped);
  }

  /** The end of a value that is skipped or replaced; null for a value that is passed on as it is. */
  #pass(start: number): number | null {
    if (this.#duplicates === null) return null;
    const end = this.#skipTo;
    this.#skipTo = null;
    if (end !== null) return end;
    const replaced = this.#duplicates.replaced.get(start);
    if (replaced === undefined) return null;
    walkFrom(replaced.winsAt, this.#scanner.text, this.#sink, this.#duplicates);
    return replaced.end;
  }
}

/**
 * The members of the object that is open at one level. The next object at that level reuses it: most have few
 * members.
 */
class Members {
  readonly #places = new Map<string, number>();
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /**
   * The index of the member being read. `duplicateAt` is the position of its key if the object already has this key.
   */
  current = 0;
  duplicateAt: number | null = null;
  #only = '';

  clear(): void {
    if (this.starts.length > 1) this.#places.clear();
    this.starts.length = 0;
    this.ends.length = 0;
  }

  name(key: string, at: number): void {
    const known = this.#find(key);
    this.duplicateAt = known === undefined ? null : at;
    this.current = known ?? this.starts.length;
    if (known !== undefined) return;
    if (this.current === 0) this.#only = key;
    else this.#places.set(key, this.current);
  }

  /**
   * Looks a key up. The first key is stored apart from the map: in the texts that would take longest, most objects
   * have one member.
   */
  #find(key: string): number | undefined {
    if (this.starts.length === 0) return undefined;
    return key === this.#only ? 0 : this.#places.get(key);
  }
}

class DuplicateFinder implements JsonVisitor {
  found: Duplicates | null = null;
  readonly #scanner: JsonScanner;
  readonly #levels: Members[] = [];
  /** For each open container: where it began, and whether it is an object. */
  readonly #starts: number[] = [];
  readonly #areObjects: boolean[] = [];

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  enter(kind: ContainerKind, start: number): boolean {
    const level = this.#starts.length;
    if (level >= MAX_JSON_DEPTH) return false;
    this.#starts.push(start);
    this.#areObjects.push(kind === 'object');
    if (kind === 'object') (this.#levels[level] ??= new Members()).clear();
    return true;
  }

  leave(): void {
    const start = this.#starts.pop() ?? 0;
    this.#areObjects.pop();
    this.#end(start);
  }

  key(start: number, end: number, isEscaped: boolean): void {
    const key = decodeString(this.#scanner.text.slice(start, end), isEscaped);
    this.#levels[this.#starts.length - 1]?.name(key, start);
  }

  scalar(_: ScalarKind, start: number): void {
    this.#end(start);
  }

  #end(start: number): void {
    const level = this.#starts.length - 1;
    const members = this.#areObjects[level] === true ? this.#levels[level] : undefined;
    if (members === undefined) return;
    const { current, duplicateAt } = members;
    const end = this.#scanner.at;
    if (duplicateAt === null) {
      members.starts[current] = start;
      members.ends[current] = end;
      return;
    }
    this.found ??= { replaced: new Map(), skipped: new Map() };
    const first = { end: members.ends[current] ?? 0, winsAt: start };
    this.found.replaced.set(members.starts[current] ?? 0, first);
    this.found.skipped.set(duplicateAt, end);
  }
}

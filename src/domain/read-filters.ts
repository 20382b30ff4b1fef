/**
 * Reads the filters of lists from an address (§8). A filter that cannot be read is reported, and the list is then
 * empty.
 */

import { isLongerThan } from './text-length.ts';

/** The error of a filter, in a sentence, by the name of its parameter. */
export type FilterFaults = Readonly<Record<string, string>>;

/** The search of an address, or its errors. Without a search, no action can use it by mistake. */
export type ReadFilters<Search> =
  | { search: Search; faults: null }
  | { search: null; faults: FilterFaults };

/** The maximum length that the database compares and the fields accept. */
export const mostFilterCharacters = 2048;

/** Reads the parameters of one address and collects errors. */
export class FilterReader {
  readonly #params: URLSearchParams;
  readonly #faults: Record<string, string> = {};

  constructor(params: URLSearchParams) {
    this.#params = params;
  }

  /** The text of a parameter; empty if it is missing. */
  text(name: string): string {
    const [text = '', ...others] = this.#params.getAll(name).filter((each) => each !== '');
    if (others.length > 0) return this.#refuse(name, 'This filter is given twice. Keep one.', '');
    return isLongerThan(text, mostFilterCharacters)
      ? this.#refuse(name, 'A filter can hold at most 2,048 characters.', '')
      : text;
  }

  /** Reads one of a few words. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.read(
      name,
      (text) => words.find((word) => word === text) ?? null,
      `This is none of: ${words.join(', ')}.`,
    );
  }

  /** Reads a checkbox. */
  isTicked(name: string): boolean {
    const read = (text: string) => (text === '1' ? true : null);
    return this.read(name, read, 'Write 1, or leave it out.') ?? false;
  }

  /**
   * @param read returns null for an unreadable text
   * @param sentence describes readable texts
   */
  read<Value>(
    name: string,
    read: (text: string) => Value | null,
    sentence: string,
  ): Value | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    return read(text) ?? this.#refuse(name, sentence, undefined);
  }

  /** Reports a fault that only the caller can detect, such as two filters that exclude each other. */
  refuse(name: string, sentence: string): void {
    this.#faults[name] = sentence;
  }

  /** Returns the search, or the faults if something could not be read. */
  finish<Search>(search: Search): ReadFilters<Search> {
    return Object.keys(this.#faults).length === 0
      ? { search, faults: null }
      : { search: null, faults: this.#faults };
  }

  #refuse<Value>(name: string, sentence: string, value: Value): Value {
    this.#faults[name] = sentence;
    return value;
  }
}

/** §8. If one is invalid, it is reported and the list is empty. */

import { isLongerThan } from '../base/text-length.ts';

/** By the name of its parameter. */
export type FilterFaults = Readonly<Record<string, string>>;

/** Without a search, so no action can use it by mistake. */
export type ReadFilters<Search> =
  | { search: Search; faults: null }
  | { search: null; faults: FilterFaults };

export type Given<Search> = { [Name in keyof Search]: Search[Name] | undefined };

/** The database compares no more. */
export const mostFilterCharacters = 2048;

export class FilterReader {
  readonly #params: URLSearchParams;
  readonly #faults: Record<string, string> = {};

  constructor(params: URLSearchParams) {
    this.#params = params;
  }

  text(name: string): string {
    const [text = '', ...others] = this.#params.getAll(name).filter((each) => each !== '');
    if (others.length > 0) return this.#refuse(name, 'This filter is given twice. Keep one.', '');
    return isLongerThan(text, mostFilterCharacters)
      ? this.#refuse(name, 'A filter can hold at most 2,048 characters.', '')
      : text;
  }

  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.read(
      name,
      (text) => words.find((word) => word === text) ?? null,
      `This is none of: ${words.join(', ')}.`,
    );
  }

  isTicked(name: string): boolean {
    const read = (text: string) => (text === '1' ? true : null);
    return this.read(name, read, 'Write 1, or leave it out.') ?? false;
  }

  /** @param read returns null for an unreadable text */
  read<Value>(
    name: string,
    read: (text: string) => Value | null,
    sentence: string,
  ): Value | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    return read(text) ?? this.#refuse(name, sentence, undefined);
  }

  /** For faults that only the caller can detect. */
  refuse(name: string, sentence: string): void {
    this.#faults[name] = sentence;
  }

  /** Filters that are not given are left out. */
  finish<Search extends object>(search: Given<Search>): ReadFilters<Search> {
    if (Object.keys(this.#faults).length > 0) return { search: null, faults: this.#faults };
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    return { search: Object.fromEntries(given) as Search, faults: null };
  }

  #refuse<Value>(name: string, sentence: string, value: Value): Value {
    this.#faults[name] = sentence;
    return value;
  }
}

import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { mostFilterCharacters } from '#domain/runs/read-filters';
import type { NamedSource } from '../services.ts';
import { capitalize } from '../words/amounts.ts';
import { FilterFault, useFilter } from './FilterBar.tsx';
import classes from './FilterBar.module.css';

/** Recognizes its input by its form. */
export function FilterWords({ placeholder }: { placeholder: string }) {
  return (
    <>
      <input
        type="search"
        aria-label="Search"
        placeholder={placeholder}
        maxLength={mostFilterCharacters}
        {...useFilter('q').control}
      />
      <FilterFault name="q" />
    </>
  );
}

export type Option = readonly [value: string, word: string];

export const wordOptions = (words: readonly string[]) =>
  words.map((word): Option => [word, capitalize(word)]);

type FilterChoiceProps = {
  name: string;
  label: string;
  options: readonly Option[];
  children?: ReactNode;
};

/** The first option means no filter. */
export function FilterChoice({ name, label, options, children }: FilterChoiceProps) {
  return (
    <>
      <select aria-label={label} {...useFilter(name).control}>
        <Options options={options} />
        {children}
      </select>
      <FilterFault name={name} />
    </>
  );
}

function Options({ options }: { options: readonly Option[] }) {
  return options.map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}

export function OptionGroup({ label, options }: { label: string; options: readonly Option[] }) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      <Options options={options} />
    </optgroup>
  );
}

/** Values such as `queue:<id>`. */
export function SourceOptions({ sources }: { sources: readonly NamedSource[] }) {
  const optionsOf = (wanted: NamedSource['kind']) =>
    sources
      .filter(({ kind }) => kind === wanted)
      .map(({ kind, id, name }): Option => [`${kind}:${id}`, name]);
  return (
    <>
      <OptionGroup label="Queues" options={optionsOf('queue')} />
      <OptionGroup label="Crons" options={optionsOf('cron')} />
    </>
  );
}

/** Nothing if no tag is used or selected. */
export function TagFilter({ tags }: { tags: readonly string[] }) {
  const { value: current } = useFilter('tag');
  if (tags.length === 0 && current === '') return null;
  const offered = current === '' || tags.includes(current) ? tags : [current, ...tags];
  const options = [['', 'Any tag'] as const, ...offered.map((tag) => [tag, tag] as const)];
  return <FilterChoice name="tag" label="Tag" options={options} />;
}

type FurtherFiltersProps = { names: readonly string[]; children: ReactNode };

/** Open if any of them is in use. */
export function FurtherFilters({ names, children }: FurtherFiltersProps) {
  // Emptying the last one must not close the panel around the focus.
  const params = new URLSearchParams(useLocation().search);
  const [isOpen] = useState(names.some((name) => params.get(name)));
  return (
    <details className={classes.more} open={isOpen}>
      <summary>More filters</summary>
      <div className={classes.fields}>{children}</div>
    </details>
  );
}

type FilterTextProps = {
  name: string;
  label: string;
  placeholder?: string;
  pattern?: string;
  title?: string;
};

export function FilterText({ name, label, ...input }: FilterTextProps) {
  return (
    <div>
      <label>
        <span>{label}</span>
        <input
          type="text"
          autoComplete="off"
          maxLength={mostFilterCharacters}
          {...input}
          {...useFilter(name).control}
        />
      </label>
      <FilterFault name={name} />
    </div>
  );
}

export function FilterCodes() {
  return <FilterText name="code" label="Status code" placeholder="503, 5xx, 500,502 or none" />;
}

export function FilterTimes() {
  const time = {
    placeholder: '2026-11-24 22:00',
    pattern: '\\s*\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d)?)?\\s*',
    title: 'A day, or a day and a time, such as 2026-11-24 22:00',
  };
  return (
    <>
      <FilterText name="from" label="From (UTC)" {...time} />
      <FilterText name="to" label="To (UTC)" {...time} />
    </>
  );
}

import { type ReactNode, useState } from 'react';
import classes from './Form.module.css';
import { useShown } from './Form.tsx';
import { listIn, type Values } from './values.ts';
import { inputOf } from './wrong-fields.ts';

type AdvancedProps = {
  /** Of every field of the form. */
  defaults: Values;
  /** The names of fields outside. */
  essentials: ReadonlySet<string>;
  children: ReactNode;
};

/** Open if a field inside has an error or differs from its default. */
export function Advanced({ defaults, essentials, children }: AdvancedProps) {
  const { values, errors } = useShown();
  const isInside = (field: string) => !essentials.has(inputOf(field));
  const textOf = (from: Values, name: string) => {
    const filled = listIn(from, name).filter((each) => each !== '');
    return Array.isArray(defaults[name]) ? filled.join('\n') : (filled.at(-1) ?? '');
  };
  const isNeeded =
    Object.keys(errors).some(isInside) ||
    Object.keys(defaults).some(
      (name) => isInside(name) && name in values && textOf(values, name) !== textOf(defaults, name),
    );
  // It stays open around the focus once nothing in it needs a look.
  const [wasOpened, setOpened] = useState(false);
  return (
    <details
      className={classes.advanced}
      open={isNeeded || wasOpened}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary>Advanced</summary>
      {children}
    </details>
  );
}

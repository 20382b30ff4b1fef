import { type ComponentProps, type ReactNode, useId } from 'react';
import type { FieldErrors } from '../services.ts';
import { describeControl, FieldFrame } from './FieldFrame.tsx';
import { wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

export type FieldProps = {
  /** The API's name of the field, which the form sends. */
  name: string;
  label: string;
  description?: ReactNode;
  errors?: FieldErrors | undefined;
};

type Own<Element extends 'input' | 'textarea' | 'select'> = FieldProps &
  Omit<ComponentProps<Element>, keyof FieldProps>;

function errorOf(errors: FieldErrors | undefined, name: string): string | undefined {
  return errors?.[name]?.join(' ');
}

/** One line of text, or any other kind of `<input type>`, with its error. */
export function TextField({
  name,
  label,
  description,
  errors,
  className = '',
  ...rest
}: Own<'input'>) {
  const id = useId();
  const words = { name, description, error: errorOf(errors, name) };
  return (
    <FieldFrame {...words} label={label} controlId={id}>
      <input
        type="text"
        {...rest}
        {...describeControl(id, words, rest['aria-describedby'])}
        name={name}
        className={`${classes.input} ${className}`.trimEnd()}
      />
    </FieldFrame>
  );
}

/** Several lines of text; in monospace for code. */
export function LinesField({
  name,
  label,
  description,
  errors,
  mono = false,
  ...rest
}: Own<'textarea'> & { mono?: boolean }) {
  const id = useId();
  const words = { name, description, error: errorOf(errors, name) };
  return (
    <FieldFrame {...words} label={label} controlId={id}>
      <textarea
        spellCheck={!mono}
        {...rest}
        {...describeControl(id, words)}
        name={name}
        className={`${classes.input} ${mono ? classes.mono : ''}`.trimEnd()}
      />
    </FieldFrame>
  );
}

type Choice = { value: string; text: string };

/** A list to choose one from: the browser's own, so that it works everywhere. */
export function ChoiceField({
  name,
  label,
  description,
  errors,
  choices,
  ...rest
}: Own<'select'> & { choices: readonly Choice[] }) {
  const id = useId();
  const words = { name, description, error: errorOf(errors, name) };
  return (
    <FieldFrame {...words} label={label} controlId={id}>
      <select
        {...rest}
        {...describeControl(id, words)}
        name={name}
        className={`control ${classes.select}`}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/**
 * A checkbox. Browsers send nothing for an unticked box, so a hidden `0` is sent before it: the last of the two
 * values counts (see `readChecked`).
 */
export function CheckField({ name, label, description, errors, ...rest }: Own<'input'>) {
  const id = useId();
  const error = errorOf(errors, name);
  return (
    <div className={classes.check} data-field>
      <input type="hidden" name={name} value="0" />
      <input
        {...rest}
        {...describeControl(id, { name, description, error })}
        type="checkbox"
        name={name}
        value="1"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {description ? (
          <p className={classes.description} id={`${id}-description`}>
            {description}
          </p>
        ) : null}
        {error ? (
          <p className={classes.error} id={wrongId(name)}>
            {error}
          </p>
        ) : null}
      </div>
    </div>
  );
}

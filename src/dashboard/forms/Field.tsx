import { Checkbox, InputWrapper, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useId, type ComponentProps, type ReactNode } from 'react';
import type { FieldErrors } from '../services.ts';
import { FieldCount } from './FieldCount.tsx';
import { wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

type Common = {
  /** The API's name of the field, which the form sends. */
  name: string;
  label: string;
  description?: ReactNode;
  errors?: FieldErrors | undefined;
};

function errorOf(errors: FieldErrors | undefined, name: string): string | undefined {
  return errors?.[name]?.join(' ');
}

/** One line of text, or any other kind of `<input type>`; shows what was wrong with it. */
export function TextField({
  name,
  label,
  description,
  errors,
  ...rest
}: Common & Omit<ComponentProps<typeof TextInput>, keyof Common>) {
  const error = errorOf(errors, name);
  return (
    <TextInput
      name={name}
      label={label}
      description={description}
      error={error}
      errorProps={{ id: wrongId(name) }}
      withAsterisk={false}
      {...(rest.maxLength === undefined ? {} : { inputContainer: countedTo(rest.maxLength, rest) })}
      {...rest}
    />
  );
}

/** A limit is the field's own, and nothing is cut without a word (§8). */
function countedTo(most: number, { defaultValue }: { defaultValue?: unknown }) {
  const startLength = typeof defaultValue === 'string' ? defaultValue.length : 0;
  return (input: ReactNode) => (
    <FieldCount most={most} startLength={startLength}>
      {input}
    </FieldCount>
  );
}

/** A password; the eye that shows it needs a script, the field does not. */
export function PasswordField({
  name,
  label,
  description,
  errors,
  ...rest
}: Common & Omit<ComponentProps<typeof PasswordInput>, keyof Common>) {
  const error = errorOf(errors, name);
  return (
    <PasswordInput
      name={name}
      label={label}
      description={description}
      error={error}
      errorProps={{ id: wrongId(name) }}
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': 'Show password', className: 'needs-script' }}
      {...rest}
    />
  );
}

/** The password that somebody has now, asked for where a session alone is not enough. */
export function CurrentPasswordField({
  name = 'password',
  label = 'Password',
  errors,
}: Partial<Common>) {
  return (
    <PasswordField
      name={name}
      label={label}
      required
      autoComplete="current-password"
      errors={errors}
    />
  );
}

/** Several lines of text, in monospace where it is code. */
export function LinesField({
  name,
  label,
  description,
  errors,
  mono,
  ...rest
}: Common & { mono?: boolean } & Omit<ComponentProps<typeof Textarea>, keyof Common>) {
  const error = errorOf(errors, name);
  return (
    <Textarea
      name={name}
      label={label}
      description={description}
      error={error}
      errorProps={{ id: wrongId(name) }}
      withAsterisk={false}
      spellCheck={!mono}
      {...(mono ? { classNames: { input: classes.mono } } : {})}
      {...rest}
    />
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
}: Common & { choices: readonly Choice[] } & Omit<ComponentProps<'select'>, keyof Common>) {
  const id = useId();
  const error = errorOf(errors, name);
  return (
    <InputWrapper
      id={id}
      label={label}
      description={description}
      error={error}
      errorProps={{ id: wrongId(name) }}
    >
      <select
        id={id}
        name={name}
        className={`control ${classes.select}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? wrongId(name) : undefined}
        {...rest}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </InputWrapper>
  );
}

/**
 * A yes or no. Browsers send nothing for an unticked box, so a hidden `0` goes before it: the last of
 * the two counts (see `readChecked`).
 */
export function CheckField({
  name,
  label,
  description,
  errors,
  ...rest
}: Common & Omit<ComponentProps<typeof Checkbox>, keyof Common>) {
  const error = errorOf(errors, name);
  return (
    <>
      <input type="hidden" name={name} value="0" />
      <Checkbox
        name={name}
        value="1"
        label={label}
        description={description}
        error={error}
        size="xs"
        {...rest}
      />
    </>
  );
}

import { type ComponentProps, type ReactNode, useId } from 'react';
import { LIMITS } from '#domain/base/limits';
import { capitalize } from '../words/amounts.ts';
import { useField } from './Form.tsx';
import { inputOf, wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

interface FieldProps {
  /** The API's name. The error text's id is made from it. */
  name: string;
  /** Default: `labelOf`. */
  label?: string;
  description?: ReactNode;
  /** Replaces the form's error; null: none. */
  error?: string | null | undefined;
  isShort?: boolean;
}

/** Of fields whose name differs. */
const labels: Readonly<Record<string, string>> = {
  url: 'URL',
  callback_url: 'Callback URL',
  test_url: 'Test URL',
  queue: 'Queue name',
  dead_letter_days: 'Dead letter retention',
  starts_at: 'Start',
  ends_at: 'End',
  is_weekly: 'Repeat every week',
  pauses_runs: 'Pause runs',
  covers: 'Muted',
  sources: 'Muted',
};

export function labelOf(field: string): string {
  const name = inputOf(field);
  return labels[name] ?? capitalize(name.replaceAll('_', ' '));
}

export type OwnFieldProps<Element extends 'input' | 'textarea' | 'select'> = FieldProps &
  Omit<ComponentProps<Element>, keyof FieldProps>;

export function useControl(
  props: FieldProps & { defaultValue?: unknown; 'aria-describedby'?: string | undefined },
) {
  const {
    name,
    label = labelOf(props.name),
    description,
    error: given,
    defaultValue,
    isShort,
    ...rest
  } = props;
  const controlId = useId();
  const { value, error: own } = useField(name);
  const words = { name, description, error: given === undefined ? own : (given ?? undefined) };
  return {
    value,
    frame: { ...words, label, controlId },
    control: {
      ...rest,
      ...describeControl(controlId, words, rest['aria-describedby']),
      name,
      defaultValue: value ?? (defaultValue as string | undefined),
      className: `${classes.input} ${isShort ? classes.short : ''}`.trimEnd(),
    },
  };
}

export function TextField(props: OwnFieldProps<'input'>) {
  const { frame, control } = useControl(props);
  return (
    <FieldFrame {...frame}>
      <input type="text" {...control} />
    </FieldFrame>
  );
}

/** Such as a name: browsers neither complete nor correct it. */
export function PlainField(props: OwnFieldProps<'input'>) {
  return <TextField autoComplete="off" spellCheck={false} {...props} />;
}

/** Of a person, a team, a device or a program. */
export function NameField(props: Partial<OwnFieldProps<'input'>>) {
  return <TextField name="name" required maxLength={LIMITS.personNameCharacters} {...props} />;
}

/** Of an authenticator, a recovery code or the setup code. */
export function CodeField(props: Partial<OwnFieldProps<'input'>>) {
  return (
    <TextField
      name="code"
      required
      maxLength={LIMITS.codeCharacters}
      autoComplete="one-time-code"
      {...props}
    />
  );
}

/** As ISO 8601 has it, instead of a browser's own order of day and month. */
export function InstantField(props: OwnFieldProps<'input'>) {
  return <PlainField isShort inputMode="text" placeholder="2026-11-24 22:00" {...props} />;
}

export function NumberField(props: OwnFieldProps<'input'>) {
  return <TextField isShort inputMode="numeric" autoComplete="off" {...props} />;
}

export function UrlField(props: OwnFieldProps<'input'>) {
  return (
    <PlainField
      inputMode="url"
      maxLength={LIMITS.urlCharacters}
      placeholder="https://"
      {...props}
    />
  );
}

/** Such as headers or a command. */
export function LinesField(props: OwnFieldProps<'textarea'>) {
  const { frame, control } = useControl(props);
  return (
    <FieldFrame {...frame}>
      <textarea spellCheck={false} {...control} className={`${control.className} mono`} />
    </FieldFrame>
  );
}

type Choice = { value: string; text: string };

/** The browser's own. */
export function ChoiceField({
  choices,
  ...props
}: OwnFieldProps<'select'> & { choices: readonly Choice[] }) {
  const { frame, control } = useControl(props);
  return (
    <FieldFrame {...frame}>
      <select {...control}>
        {choices.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** A hidden `0` precedes it, because browsers send nothing for an unticked box (`readChecked`). */
export function CheckField({ defaultChecked, ...props }: OwnFieldProps<'input'>) {
  const { value, frame, control } = useControl(props);
  const { name, controlId: id, label, description, error } = frame;
  const { defaultValue: _, className: _look, ...own } = control;
  return (
    <div className={classes.check} data-field>
      <input type="hidden" name={name} value="0" />
      <input
        {...own}
        type="checkbox"
        value="1"
        defaultChecked={value === undefined ? defaultChecked : value === '1'}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <Texts {...{ name, id, description, error }} />
      </div>
    </div>
  );
}

type FrameProps = Omit<FieldProps, 'error'> & {
  controlId: string;
  error?: string | undefined;
  /** The label names a group of controls. */
  isGroup?: boolean;
  children: ReactNode;
};

export function FieldFrame({ isGroup = false, children, ...props }: FrameProps) {
  const { name, label, controlId: id, description, error } = props;
  const describedBy = idsOfWords(id, { name, description, error });
  const group = { id, role: 'group', 'aria-labelledby': `${id}-label`, ...describedBy };
  return (
    <div data-field {...(isGroup ? group : {})}>
      {isGroup ? (
        <div className={classes.label} id={`${id}-label`}>
          {label}
        </div>
      ) : (
        <label className={classes.label} htmlFor={id}>
          {label}
        </label>
      )}
      <Texts {...{ name, id, description, error }}>{children}</Texts>
    </div>
  );
}

type TextsProps = Words & { id: string; children?: ReactNode };

function Texts({ name, id, description, error, children }: TextsProps) {
  return (
    <>
      {description ? (
        <p className={classes.description} id={`${id}-description`}>
          {description}
        </p>
      ) : null}
      {children}
      {error ? (
        <p className={classes.error} id={wrongId(name)}>
          {error}
        </p>
      ) : null}
    </>
  );
}

type Words = { name: string; description?: ReactNode; error?: string | undefined };

function describeControl(id: string, words: Words, describedBy?: string) {
  const invalid = words.error ? { 'aria-invalid': true } : {};
  return { id, ...invalid, ...idsOfWords(id, words, describedBy) };
}

/** None unless it is the wrong one. */
export function describeWrong(name: string, isWrong: boolean) {
  return isWrong ? { 'aria-invalid': true, 'aria-describedby': wrongId(name) } : {};
}

function idsOfWords(id: string, { name, description, error }: Words, describedBy?: string) {
  const ids = [describedBy, error && wrongId(name), description && `${id}-description`];
  const some = ids.filter((each) => typeof each === 'string' && each !== '');
  return some.length > 0 ? { 'aria-describedby': some.join(' ') } : {};
}

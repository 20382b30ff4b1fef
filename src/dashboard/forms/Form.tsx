import {
  type ComponentProps,
  createContext,
  type RefObject,
  type SubmitEvent,
  use,
  useEffect,
  useRef,
  useState,
} from 'react';
import {
  // oxlint-disable-next-line no-restricted-imports -- this is the one place
  Form as RouterForm,
  useActionData,
  type FormProps,
  useNavigation,
} from 'react-router';
import { noteFormProblem, readConnection } from '../connection/connection.ts';
import { rememberAnswer } from '../connection/keep-page.ts';
import { useMaySend } from '../page/may-change.ts';
import { useShell, useAnswer } from '../page/shell.ts';
import { Notice } from '../parts/Notice.tsx';
import { personField, teamField } from '../serving/form-team.ts';
import type { FieldErrors } from '../services.ts';
import { type FormAnswer, listIn, textIn, type Values, valuesOf, versionField } from './values.ts';
import { goToFirstWrong, inputOf } from './wrong-fields.ts';
import { Submit } from '../parts/Button.tsx';
import { Section } from '../parts/Section.tsx';

const Shown = createContext<{ values: Values; errors: FieldErrors }>({ values: {}, errors: {} });

export function useField(name: string) {
  const { values, errors } = use(Shown);
  const messages = Object.keys(errors).flatMap((field) =>
    inputOf(field) === name ? (errors[field] ?? []) : [],
  );
  return {
    value: textIn(values, name),
    list: listIn(values, name),
    error: messages.length > 0 ? messages.join(' ') : undefined,
  };
}

export const useShown = () => use(Shown);

/**
 * For previews.
 * @param filled changes when the page has filled a field
 */
export function useTypedValues(ref: RefObject<HTMLElement | null>, filled?: unknown): Values {
  const { values } = use(Shown);
  const [typed, setTyped] = useState(values);
  useEffect(() => {
    const form = ref.current?.closest('form');
    if (!form) return;
    const read = () => setTyped(valuesOf(new FormData(form)));
    // Editors of rows render what they send after the event.
    const readLater = () => void setTimeout(read);
    read();
    const kinds = ['input', 'click'];
    for (const kind of kinds) form.addEventListener(kind, readLater);
    return () => {
      for (const kind of kinds) form.removeEventListener(kind, readLater);
    };
  }, [ref, values, filled]);
  return typed;
}

/** Also after the page has refreshed. */
export function useFormAnswer<More extends object>(): FormAnswer & Partial<More> {
  return useAnswer(useActionData<FormAnswer & Partial<More>>()) ?? {};
}

type OwnProps = Omit<FormProps, 'method'> & {
  /** A form without it and without `intent` has nothing to show again. */
  values?: Values;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  /** On a page with several forms: other answers aren't this form's. */
  intent?: string | readonly string[];
  /** Of its button, if it has one. */
  word?: string;
  variant?: ComponentProps<typeof Submit>['variant'];
};

/**
 * The only form that changes something. It has the person and the team that it was opened for. If it isn't accepted,
 * the input stays. Viewers don't see it if their role would be refused.
 */
export function Form({ children, values, fields = {}, intent, word, variant, ...props }: OwnProps) {
  const given: unknown = useActionData();
  const latest = useFormAnswer();
  const isOwn =
    intent === undefined ? values !== undefined : [intent].flat().includes(latest.intent ?? '');
  const answer = isOwn ? latest : {};
  const shell = useShell();
  const ref = useRef<HTMLFormElement>(null);
  const sent = useRef('');
  const { formData: beingSent } = useNavigation();
  const maySend = useMaySend(props.action);
  useEffect(() => {
    if (given !== undefined && ref.current) goToFirstWrong(ref.current);
  }, [given]);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    props.onSubmit?.(event);
    if (event.defaultPrevented) return;
    const input = writePairs(new FormData(event.currentTarget, event.submitter));
    // The second press of a double click: the action would run again, and the first answer would be lost.
    if (beingSent && input === sent.current && input === writePairs(beingSent)) {
      event.preventDefault();
      return;
    }
    rememberAnswer(given);
    if (readConnection().kind !== 'lost') {
      sent.current = input;
      return;
    }
    event.preventDefault();
    noteFormProblem({
      title: 'Nothing was sent',
      text: 'Belfry does not answer. Your input is still here. Send it again once the connection is back.',
    });
  };
  if (!maySend) return null;
  const opener = shell && { [teamField]: shell.team.id, [personField]: shell.user.id };
  const shown = answer.values ?? values ?? {};
  const version = textIn(shown, versionField);
  const hidden = { ...opener, ...fields, ...(version && { [versionField]: version }) };
  return (
    <RouterForm {...props} ref={ref} method="post" onSubmit={onSubmit}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Shown value={{ values: shown, errors: answer.errors ?? {} }}>
        {answer.problem ? (
          <Notice kind="failed" {...(answer.title && { title: answer.title })}>
            {answer.problem}
          </Notice>
        ) : null}
        {children}
        {word ? (
          <Submit {...(typeof intent === 'string' && { intent })} variant={variant ?? 'default'}>
            {word}
          </Submit>
        ) : null}
      </Shown>
    </RouterForm>
  );
}

const writePairs = (form: FormData) => JSON.stringify([...form]);

type FormSectionProps = ComponentProps<typeof Form> &
  Omit<ComponentProps<typeof Section>, 'children' | 'preview'>;

/** A form of the settings. */
export function FormSection({ title, note, isDanger = false, ...form }: FormSectionProps) {
  return (
    <Section {...{ title, note, isDanger }}>
      <Form {...form} {...(isDanger && { variant: 'danger' })} />
    </Section>
  );
}

type ActionButtonProps = ComponentProps<typeof Submit> &
  Pick<ComponentProps<typeof Form>, 'fields' | 'action' | 'preventScrollReset'>;

/** For an action that takes no input. */
export function ActionButton(props: ActionButtonProps) {
  const { fields = {}, action, preventScrollReset = false, className, ...button } = props;
  return (
    <Form
      {...(action && { action })}
      {...(className && { className })}
      {...{ fields, preventScrollReset }}
    >
      <Submit {...button} />
    </Form>
  );
}

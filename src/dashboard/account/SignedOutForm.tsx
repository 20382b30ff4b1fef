import { LIMITS } from '#domain/limits';
import { Button } from '../parts/Button.tsx';
import type { ReactNode } from 'react';
import { useNavigation } from 'react-router';
import type { FieldErrors } from '../services.ts';
import { Form } from '../forms/Form.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
import { TextField } from '../forms/Field.tsx';
import { PasswordField } from '../forms/PasswordField.tsx';
import { Notice } from '../parts/Notice.tsx';

type SignedOutFormProps = {
  title: string;
  note?: ReactNode;
  /** The problem with the form as a whole. */
  problem?: string | undefined;
  /** The label of the button; null if there is nothing to send. */
  word: string | null;
  children?: ReactNode;
  /** Shown under the form, such as links. */
  below?: ReactNode;
};

/** One of the short forms before the dashboard: sign in, set up, reset, join. */
export function SignedOutForm({ title, note, problem, word, children, below }: SignedOutFormProps) {
  const isBusy = useNavigation().state !== 'idle';
  return (
    <>
      <TabTitle title={title} />
      <h1>{title}</h1>
      {note ? <p>{note}</p> : null}
      {word === null ? null : (
        <Form>
          {problem ? <Notice kind="failed">{problem}</Notice> : null}
          {children}
          <Button type="submit" size="large" disabled={isBusy}>
            {word}
          </Button>
        </Form>
      )}
      {below ? (
        <p className="row" style={{ marginTop: 16, justifyContent: 'space-between' }}>
          {below}
        </p>
      ) : null}
    </>
  );
}

/** The fields of a new account; `email` is fixed where an invitation names it. */
export function AccountFields({
  errors,
  values,
  email,
}: {
  errors?: FieldErrors | undefined;
  values?: Readonly<Record<string, string>> | undefined;
  email?: string | null;
}) {
  return (
    <>
      <TextField
        name="name"
        label="Your name"
        autoComplete="name"
        required
        maxLength={LIMITS.personNameCharacters}
        defaultValue={values?.['name']}
        errors={errors}
      />
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete="username"
        required
        maxLength={LIMITS.emailCharacters}
        defaultValue={email ?? values?.['email']}
        readOnly={Boolean(email)}
        errors={errors}
      />
      <PasswordField
        name="password"
        label="Password"
        description="At least 8 characters. A few random words are good."
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={LIMITS.passwordCharacters.most}
        errors={errors}
      />
    </>
  );
}

/** The team that a new account starts with. */
export function TeamField({
  errors,
  values,
}: {
  errors?: FieldErrors | undefined;
  values?: Readonly<Record<string, string>> | undefined;
}) {
  return (
    <TextField
      name="team"
      label="Team"
      description="Crons, queues and jobs belong to a team."
      required
      maxLength={LIMITS.personNameCharacters}
      defaultValue={values?.['team']}
      errors={errors}
    />
  );
}

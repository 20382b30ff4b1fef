import type { ReactNode } from 'react';
import { Link, useNavigation } from 'react-router';
import { LIMITS } from '#domain/base/limits';
import { CheckField, NameField, TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { NewPasswordField } from '../forms/PasswordField.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
import { Submit } from '../parts/Button.tsx';

type SignedOutFormProps = {
  title: string;
  note?: ReactNode;
  /** Null if there is nothing to send. */
  word: string | null;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  children?: ReactNode;
  below?: ReactNode;
};

export function SignedOutForm(props: SignedOutFormProps) {
  const { title, note, word, fields = {}, children, below } = props;
  const isBusy = useNavigation().state !== 'idle';
  return (
    <>
      <TabTitle title={title} />
      <h1>{title}</h1>
      {note ? <p className="muted">{note}</p> : null}
      {word === null ? null : (
        <Form values={{}} fields={fields}>
          {children}
          <Submit size="large" disabled={isBusy} variant="filled">
            {word}
          </Submit>
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

/** In place of a form. */
export function SignedOutNote(props: Omit<SignedOutFormProps, 'word' | 'children'>) {
  return <SignedOutForm {...props} word={null} />;
}

/** In place of the page of a mailed link. */
export function GoneLink({ note, to, word }: { note: string; to?: string; word?: string }) {
  return (
    <SignedOutNote
      title="This link no longer works"
      note={note}
      below={to ? <Link to={to}>{word}</Link> : null}
    />
  );
}

type AccountProps = {
  /** Fixed if an invitation names it. */
  email?: string | null | undefined;
  /** False if another field is above. */
  autoFocus?: boolean;
};

export function EmailField({ email = null, autoFocus = false }: AccountProps) {
  return (
    <TextField
      name="email"
      autoFocus={autoFocus}
      type="email"
      autoComplete="username"
      required
      maxLength={LIMITS.emailCharacters}
      {...(email === null ? {} : { defaultValue: email, readOnly: true })}
    />
  );
}

export function AccountFields({ email, autoFocus = true }: AccountProps) {
  return (
    <>
      <NameField label="Your name" autoComplete="name" autoFocus={autoFocus} />
      <EmailField email={email} />
      <NewPasswordField
        label="Password"
        description="At least 8 characters. A few random words are good."
      />
    </>
  );
}

export function TeamField() {
  return <NameField name="team" description="Crons, queues and jobs belong to a team." />;
}

/** Offered with every sign-out of all sessions: a thief may have copied the token too. */
export function RevokeTokenField() {
  return (
    <CheckField
      name="revoke_token"
      label="Revoke the API token too"
      description="Everything that calls the API with it stops working. Keep it only if you are sure that no one else has it."
      defaultChecked
    />
  );
}

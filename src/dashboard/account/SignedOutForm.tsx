import type { ReactNode } from 'react';
import { useNavigation } from 'react-router';
import { LIMITS } from '#domain/limits';
import { TextField, CheckField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { NewPasswordField } from '../forms/PasswordField.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
import { Submit } from '../parts/Button.tsx';

type SignedOutFormProps = {
  title: string;
  note?: ReactNode;
  /** The label of the button; null if there is nothing to send. */
  word: string | null;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  children?: ReactNode;
  /** Shown under the form, such as links. */
  below?: ReactNode;
};

/** One of the short forms before the dashboard: sign in, set up, reset, join. */
export function SignedOutForm(props: SignedOutFormProps) {
  const { title, note, word, fields = {}, children, below } = props;
  const isBusy = useNavigation().state !== 'idle';
  return (
    <>
      <TabTitle title={title} />
      <h1>{title}</h1>
      {note ? <p>{note}</p> : null}
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

/** In place of a form: there is nothing to send, or no longer. */
export function SignedOutNote(props: Omit<SignedOutFormProps, 'word' | 'children'>) {
  return <SignedOutForm {...props} word={null} />;
}

/** The address that people sign in with; fixed where an invitation names it. */
export function EmailField({
  email = null,
  autoFocus = false,
}: {
  email?: string | null;
  autoFocus?: boolean;
}) {
  return (
    <TextField
      name="email"
      autoFocus={autoFocus}
      label="Email"
      type="email"
      autoComplete="username"
      required
      maxLength={LIMITS.emailCharacters}
      {...(email === null ? {} : { defaultValue: email, readOnly: true })}
    />
  );
}

/** The fields of a new account. */
export function AccountFields({
  email,
  autoFocus = true,
}: {
  email?: string | null;
  /** False if another field is above them. */
  autoFocus?: boolean;
}) {
  return (
    <>
      <TextField
        name="name"
        autoFocus={autoFocus}
        label="Your name"
        autoComplete="name"
        required
        maxLength={LIMITS.personNameCharacters}
      />
      <EmailField {...(email === undefined ? {} : { email })} />
      <NewPasswordField
        label="Password"
        description="At least 8 characters. A few random words are good."
      />
    </>
  );
}

/** The team that a new account starts with. */
export function TeamField() {
  return (
    <TextField
      name="team"
      label="Team"
      description="Crons, queues and jobs belong to a team."
      required
      maxLength={LIMITS.personNameCharacters}
    />
  );
}

/**
 * The option to revoke the API token, too. It is offered wherever a user signs out all other sessions, because a thief
 * may also have copied the token.
 */
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

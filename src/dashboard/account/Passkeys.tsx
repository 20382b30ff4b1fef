import { LIMITS } from '#domain/limits';
import { Submit } from '../parts/Button.tsx';
import type { Passkey } from '../services.ts';
import { AskAuthenticator } from './AskAuthenticator.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { TextField } from '../forms/Field.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Form } from '../forms/Form.tsx';
import { Time } from '../parts/Time.tsx';

type PasskeysProps = {
  passkeys: readonly Passkey[];
  /** Set once the password was right. */
  asked: { options: string; name: string } | undefined;
};

export function Passkeys({ passkeys, asked }: PasskeysProps) {
  return (
    <>
      {passkeys.length === 0 ? <p>You have no passkeys.</p> : null}
      <ul className="rows flush">
        {passkeys.map(({ id, name, createdAt }) => (
          <li key={id}>
            <span>{name}</span>
            <span className="muted" style={{ marginRight: 'auto' }}>
              added <Time at={createdAt} />
            </span>
            <ConfirmDialog
              word="Delete"
              question={`Delete the passkey “${name}”?`}
              fields={{ intent: 'delete-passkey', passkey: id }}
              isSmall
            >
              You can’t sign in with it any more. Remove it from the device as well. Your password
              and your other passkeys stay.
            </ConfirmDialog>
          </li>
        ))}
      </ul>
      {asked ? (
        <AskAuthenticator
          options={asked.options}
          how="create"
          fields={{ intent: 'add-passkey', name: asked.name }}
        >
          <p>Nothing was added. Begin again below.</p>
        </AskAuthenticator>
      ) : null}
      <noscript>
        <p>Enable JavaScript to add a passkey.</p>
      </noscript>
      <Form className="needs-script" intent="begin-passkey">
        <TextField
          name="name"
          label="Name of the device"
          required
          maxLength={LIMITS.personNameCharacters}
          placeholder="Laptop"
        />
        <CurrentPasswordField />
        <Submit intent="begin-passkey">Add a passkey</Submit>
      </Form>
    </>
  );
}

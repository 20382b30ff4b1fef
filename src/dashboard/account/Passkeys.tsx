import type { Passkey } from '../services.ts';
import { AskAuthenticator } from './AskAuthenticator.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { NameField } from '../forms/Field.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Form, useFormAnswer } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ProfileAnswer } from './profile-actions.ts';
import { Section } from '../parts/Section.tsx';
import { Time } from '../parts/Time.tsx';

export function Passkeys({ passkeys }: { passkeys: readonly Passkey[] }) {
  // `asked` is set once the password was right.
  const { intent, problem, asked } = useFormAnswer<ProfileAnswer>();
  return (
    <Section
      title="Passkeys"
      note="A device signs you in by PIN, finger or face, without password and code."
    >
      {problem && (intent === 'add-passkey' || intent === 'delete-passkey') ? (
        <Notice kind="failed">{problem}</Notice>
      ) : null}
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
      <Form className="needs-script" intent="begin-passkey" word="Add a passkey">
        <NameField label="Name of the device" placeholder="Laptop" />
        <CurrentPasswordField />
      </Form>
    </Section>
  );
}

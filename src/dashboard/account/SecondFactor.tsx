import encodeQr from 'qr';
import type { ReactNode } from 'react';
import type { ProfileAnswer } from './profile-actions.ts';
import { CodeField } from '../forms/Field.tsx';
import { Form, useFormAnswer } from '../forms/Form.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Submit } from '../parts/Button.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ShownOnce, useKept } from '../parts/ShownOnce.tsx';

export function SecondFactor({ isOn }: { isOn: boolean }) {
  const { intent } = useFormAnswer();
  const { kept: begun, take } = useKept((answer: Partial<ProfileAnswer>) => answer.begun);
  const renewed = useKept((answer: Partial<ProfileAnswer>) => answer.renewedCodes);
  // Sent along, to show them again without a script if the code is wrong.
  const carried = begun
    ? { otpauth_uri: begun.otpauthUri, recovery_codes: begun.recoveryCodes.join(' ') }
    : {};
  return (
    <>
      {renewed.kept ? (
        <Keep
          what="recovery codes"
          note="The old recovery codes no longer work. Each of these signs you in once when the authenticator is lost."
          codes={renewed.kept}
          onTaken={renewed.take}
        />
      ) : null}
      {begun ? (
        <Keep
          what="key and the recovery codes"
          note="Each recovery code signs you in once when the authenticator is lost."
          codes={begun.recoveryCodes}
          onTaken={take}
        >
          <Key otpauthUri={begun.otpauthUri} />
        </Keep>
      ) : null}
      {isOn ? (
        <Form intent={['renew-recovery-codes', 'end-second-factor']}>
          <p>It is on.</p>
          {/* With two actions for one password, Enter in its field does neither. */}
          <button type="submit" disabled hidden />
          <CurrentPasswordField />
          <span className="row">
            <Submit intent="renew-recovery-codes">New recovery codes</Submit>
            <Submit intent="end-second-factor" variant="danger">
              Turn off
            </Submit>
          </span>
        </Form>
      ) : begun || intent === 'confirm-second-factor' ? (
        <Form intent="confirm-second-factor" fields={carried} word="Turn on" variant="filled">
          <CodeField label="Code that the authenticator shows now" />
        </Form>
      ) : (
        <Form intent="begin-second-factor" word="Set up">
          <CurrentPasswordField />
        </Form>
      )}
    </>
  );
}

type KeepProps = {
  what: string;
  note: string;
  codes: readonly string[];
  onTaken: () => void;
  children?: ReactNode;
};

function Keep({ what, note, codes, onTaken, children }: KeepProps) {
  return (
    <ShownOnce
      what={what}
      title="Keep these now: they are shown once."
      note={note}
      onTaken={onTaken}
    >
      {children}
      <p>
        Recovery codes <CopyButton text={codes.join('\n')} label="Copy recovery codes" />
      </p>
      <pre>{codes.join('\n')}</pre>
    </ShownOnce>
  );
}

/** Light modules around the code, so that cameras find it. */
const quiet = 4;

function Key({ otpauthUri }: { otpauthUri: string }) {
  // In groups of four, as people type it.
  const secret = new URLSearchParams(otpauthUri.split('?')[1] ?? '').get('secret') ?? '';
  const key = secret.replace(/(.{4})(?=.)/g, '$1 ');
  const rows = encodeQr(otpauthUri, 'raw', { ecc: 'low', border: quiet });
  const path = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <>
      <p>Scan this with an authenticator on your phone:</p>
      <svg
        role="img"
        aria-label="QR code of the key for the authenticator"
        viewBox={`0 0 ${rows.length} ${rows.length}`}
        width={200}
        height={200}
        shapeRendering="crispEdges"
        style={{ display: 'block', maxWidth: '100%' }}
      >
        {/* Dark on light in both themes: some cameras can't read the reverse. */}
        <rect width={rows.length} height={rows.length} fill="#fff" />
        <path d={path.join('')} fill="#000" />
      </svg>
      <p>
        Or type the key: <code>{key}</code> <CopyButton text={key} label="Copy key" />{' '}
        <a href={otpauthUri}>Open in an authenticator on this device</a>
      </p>
    </>
  );
}

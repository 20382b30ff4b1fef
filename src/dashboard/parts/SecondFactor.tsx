import { Button } from '@mantine/core';
import { Form } from 'react-router';
import type { FieldErrors } from '../services.ts';
import { CopyButton } from './CopyButton.tsx';
import { CurrentPasswordField, TextField } from './Field.tsx';
import { Notice } from './Notice.tsx';

type SecondFactorProps = {
  isOn: boolean;
  /** Just begun: what must be kept now, since it is shown once. */
  begun: { otpauthUri: string; recoveryCodes: string[] } | null;
  isConfirming: boolean;
  errors: FieldErrors | undefined;
};

/** Turning the second factor on, in two steps, or off. */
export function SecondFactor({ isOn, begun, isConfirming, errors }: SecondFactorProps) {
  if (isOn) {
    return (
      <Form method="post">
        <p>It is on.</p>
        <CurrentPasswordField errors={errors} />
        <Button type="submit" name="intent" value="end-second-factor" variant="danger">
          Turn off
        </Button>
      </Form>
    );
  }
  return (
    <>
      {begun ? <KeepThese {...begun} /> : null}
      {begun || isConfirming ? (
        <Form method="post">
          <TextField
            name="code"
            label="Code that the authenticator shows now"
            required
            maxLength={12}
            autoComplete="one-time-code"
            errors={errors}
          />
          <Button type="submit" name="intent" value="confirm-second-factor">
            Turn on
          </Button>
        </Form>
      ) : (
        <Form method="post">
          <CurrentPasswordField errors={errors} />
          <Button type="submit" name="intent" value="begin-second-factor" variant="default">
            Set up
          </Button>
        </Form>
      )}
    </>
  );
}

function KeepThese({ otpauthUri, recoveryCodes }: { otpauthUri: string; recoveryCodes: string[] }) {
  const secret = readSecret(otpauthUri);
  return (
    <div className="stack">
      <Notice kind="note" title="Keep these now: they are shown once.">
        Each recovery code signs you in once when the authenticator is lost.
      </Notice>
      <p>
        Key for the authenticator: <code>{secret}</code>{' '}
        <CopyButton text={secret} label="Copy key" />{' '}
        <a href={otpauthUri}>Open in an authenticator on this device</a>
      </p>
      <p>
        Recovery codes <CopyButton text={recoveryCodes.join('\n')} label="Copy recovery codes" />
      </p>
      <pre>{recoveryCodes.join('\n')}</pre>
    </div>
  );
}

/** The key in groups of four, as people type it. */
function readSecret(otpauthUri: string): string {
  const secret = new URLSearchParams(otpauthUri.split('?')[1] ?? '').get('secret') ?? '';
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}

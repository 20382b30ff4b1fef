import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useNavigation } from 'react-router';
import { ActionButton, Form } from '../forms/Form.tsx';
import { Notice } from '../parts/Notice.tsx';

type AskProps = {
  /** WebAuthn's options as JSON. A changed text starts a new request. */
  options: string;
  how: 'create' | 'get';
  fields: Readonly<Record<string, string>>;
  /** Shown without an answer of the browser: the next step. */
  children: ReactNode;
};

export function AskAuthenticator({ options, how, fields, children }: AskProps) {
  const field = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const isSettled = useNavigation().state === 'idle';
  useEffect(() => {
    const leaving = new AbortController();
    setFault(null);
    askBrowser(how, options, leaving.signal).then(
      (text) => {
        if (!leaving.signal.aborted) setAnswer(text);
      },
      (error: unknown) => {
        const name = error instanceof Error ? error.name : '';
        if (!leaving.signal.aborted) setFault(faults[name] ?? 'This browser can’t use passkeys.');
      },
    );
    return () => leaving.abort();
  }, [how, options]);
  // A device may answer before the page has loaded, and sending would cancel the load.
  useEffect(() => {
    if (answer === null || !isSettled || !field.current) return;
    field.current.value = answer;
    setAnswer(null);
    field.current.form?.requestSubmit();
  }, [answer, isSettled]);
  return (
    <>
      <Form fields={fields}>
        <input ref={field} type="hidden" name="answer" />
      </Form>
      {fault === null ? (
        <p role="status">Your browser will ask you for the passkey.</p>
      ) : (
        <>
          <Notice kind="failed">{fault}</Notice>
          {children}
        </>
      )}
    </>
  );
}

async function askBrowser(how: AskProps['how'], text: string, signal: AbortSignal) {
  const options: unknown = JSON.parse(text);
  const credential = await (how === 'create'
    ? navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as never),
        signal,
      })
    : navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as never),
        signal,
      }));
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError('no passkey');
  return JSON.stringify(credential.toJSON());
}

const faults: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, or it took too long.',
  InvalidStateError: 'This device already has a passkey of this account.',
  SecurityError:
    'Passkeys work only at the public address of this installation. Open the page there.',
};

export function BeginPasskey({ next, word }: { next: string; word: string }) {
  return (
    <ActionButton
      fields={{ next }}
      action="/login/passkey"
      className="needs-script"
      intent="begin"
      size="large"
    >
      {word}
    </ActionButton>
  );
}

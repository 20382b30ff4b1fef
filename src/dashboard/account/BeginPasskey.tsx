import { ActionButton } from '../forms/ActionButton.tsx';

/** Begins a sign-in by passkey, which goes on at a page of its own. */
export function BeginPasskey({ next, word }: { next: string; word: string }) {
  return (
    <ActionButton
      fields={{ next: next }}
      action="/login/passkey"
      className="needs-script"
      intent="begin"
      size="large"
    >
      {word}
    </ActionButton>
  );
}

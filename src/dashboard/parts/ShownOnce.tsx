import { createContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { useActionData, useLocation } from 'react-router';
import { ButtonLink } from './Button.tsx';
import { Notice } from './Notice.tsx';

export const Copied = createContext<() => void>(() => undefined);

/** The response is lost at a refresh, and the secret can't be shown again. A new one replaces it. */
export function useKept<Answer extends object, Secret>(
  read: (answer: Partial<Answer>) => Secret | null | undefined,
): { kept: Secret | null; take: () => void } {
  const answer = useActionData() as Partial<Answer> | undefined;
  const brought = answer === undefined ? null : (read(answer) ?? null);
  const [state, setState] = useState({ answer, kept: brought });
  if (answer !== state.answer) setState({ answer, kept: brought ?? state.kept });
  return { kept: state.kept, take: () => setState({ answer, kept: null }) };
}

let uncopied: string | null = null;

export const readUncopiedSecret = () => uncopied;

/** By a link or by the browser. */
function useQuestionAtLeaving(what: string | null): void {
  useEffect(() => {
    if (what === null) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    uncopied = what;
    window.addEventListener('beforeunload', ask);
    return () => {
      uncopied = null;
      window.removeEventListener('beforeunload', ask);
    };
  }, [what]);
}

type ShownOnceProps = {
  /** Such as `API token`, for the confirmation at leaving; left out if it can be shown again. */
  what?: string;
  title: string;
  note?: ReactNode;
  children: ReactNode;
  /** `take` of `useKept`. */
  onTaken: () => void;
};

/** It stays until the user confirms having it. Without a script it is part of one response. */
export function ShownOnce({ what, title, note, children, onTaken }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);
  const { pathname, search } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  useQuestionAtLeaving(isCopied ? null : (what ?? null));
  // It may be outside the visible part.
  useEffect(() => place.current?.focus(), []);
  return (
    <div
      ref={place}
      className="stack"
      style={{ width: '100%' }}
      role="group"
      aria-label={title}
      tabIndex={-1}
      onCopy={() => setCopied(true)}
    >
      <Notice kind="done" title={title}>
        {note}
      </Notice>
      <Copied value={() => setCopied(true)}>{children}</Copied>
      <div>
        <ButtonLink
          to={pathname + search}
          variant="default"
          onClick={(event) => {
            event.preventDefault();
            onTaken();
            document.getElementById('page')?.focus();
          }}
        >
          I have copied it
        </ButtonLink>
      </div>
    </div>
  );
}

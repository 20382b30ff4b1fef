import { ButtonLink } from './Button.tsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Notice } from './Notice.tsx';
import { Copied, useQuestionAtLeaving } from './shown-once.ts';

type ShownOnceProps = {
  /**
   * The secret's name, such as `API token`, for the confirmation when leaving the page would lose it. Left out if it
   * can be shown again.
   */
  what?: string;
  title: string;
  /** Its purpose, if the title does not have it. */
  note?: ReactNode;
  children: ReactNode;
  /** `take` of `useKept`. */
  onTaken: () => void;
};

/**
 * A secret that is shown once. It stays on the page until the user confirms having it, and leaving the page before that
 * needs a confirmation. Without a script it is part of a single response, and the link leads on.
 */
export function ShownOnce({ what, title, note, children, onTaken }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);
  const { pathname, search } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  useQuestionAtLeaving(isCopied ? null : (what ?? null));
  // Focused, because the user requested it and it may have appeared outside the visible part of the page.
  useEffect(() => place.current?.focus(), []);
  const copied = () => setCopied(true);
  return (
    <div
      ref={place}
      className="stack"
      style={{ width: '100%' }}
      role="group"
      aria-label={title}
      tabIndex={-1}
      onCopy={copied}
    >
      <Notice kind="done" title={title}>
        {note}
      </Notice>
      <Copied value={copied}>{children}</Copied>
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

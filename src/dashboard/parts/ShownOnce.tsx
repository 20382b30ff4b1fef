import { ButtonLink } from './Button.tsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Notice } from './Notice.tsx';
import { Copied, useQuestionAtLeaving } from './shown-once.ts';

type ShownOnceProps = {
  /** `API token`: named where leaving the page would lose it; left out where it can be shown again. */
  what?: string;
  title: string;
  /** What it is good for, if the title does not say it. */
  note?: ReactNode;
  children: ReactNode;
  /** `take` of `useKept`. */
  onTaken: () => void;
};

/**
 * A secret that is shown once. It stays whatever the page does until somebody says that they have it;
 * leaving the page before asks. Without a script it is part of one answer, and the link is the way on.
 */
export function ShownOnce({ what, title, note, children, onTaken }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);
  const { pathname, search } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  useQuestionAtLeaving(isCopied ? null : (what ?? null));
  // It is what was asked for, and may have come in above or below of what is seen.
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

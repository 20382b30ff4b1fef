import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { Glyph, type GlyphName } from './Glyph.tsx';
import classes from './Notice.module.css';

const kinds = {
  failed: { glyph: 'failures', tone: 'red' },
  warning: { glyph: 'failures', tone: 'orange' },
  done: { glyph: 'check', tone: 'teal' },
  note: { glyph: 'bell', tone: undefined },
  muted: { glyph: 'muted', tone: 'violet' },
} satisfies Record<string, { glyph: GlyphName; tone: string | undefined }>;

type NoticeProps = {
  kind: keyof typeof kinds;
  title?: string;
  /** Of an answer that `useAnswer` keeps. */
  canDismiss?: boolean;
  /** Shown above the page. */
  isBanner?: boolean;
  children?: ReactNode;
};

export function Notice({ kind, title, canDismiss, isBanner, children }: NoticeProps) {
  const { glyph, tone } = kinds[kind];
  const { pathname, search } = useLocation();
  return (
    <div
      className={isBanner ? `${classes.notice} ${classes.banner}` : classes.notice}
      data-tone={tone}
      role={kind === 'failed' ? 'alert' : undefined}
    >
      <Glyph name={glyph} />
      <div>
        {title ? <strong>{title}</strong> : null}
        {children ? <div>{children}</div> : null}
      </div>
      {canDismiss ? (
        <Link to={pathname + search} aria-label="Dismiss" replace preventScrollReset>
          <Glyph name="cross" size={14} />
        </Link>
      ) : null}
    </div>
  );
}

export function UnreadableNotice({ what }: { what: string | null }) {
  if (what === null) return null;
  return (
    <Notice kind="failed" title={what}>
      It is shown as empty. Every run fails and nothing is sent until you enter it again and save
      the cron. If other crons show the same, the operator must start the service with the APP_KEY
      of its database.
    </Notice>
  );
}

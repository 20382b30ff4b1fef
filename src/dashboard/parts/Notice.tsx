import type { ReactNode } from 'react';
import { Glyph, type GlyphName } from './Glyph.tsx';
import classes from './Notice.module.css';

const glyphs = {
  failed: 'failures',
  warning: 'failures',
  done: 'check',
  note: 'bell',
  muted: 'muted',
} satisfies Record<string, GlyphName>;

/** A sentence or two that must be seen where it stands: what happened, to what, and what to do next. */
export function Notice({
  kind,
  title,
  children,
}: {
  kind: keyof typeof glyphs;
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className={classes.notice} data-kind={kind} role={kind === 'failed' ? 'alert' : undefined}>
      <Glyph name={glyphs[kind]} />
      <div>
        {title ? <strong>{title}</strong> : null}
        {children ? <div>{children}</div> : null}
      </div>
    </div>
  );
}

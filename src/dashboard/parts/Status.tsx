import { Glyph, type GlyphName } from './Glyph.tsx';
import classes from './Status.module.css';

export type StatusName = keyof typeof statuses;

type Look = {
  glyph: GlyphName;
  tone: 'teal' | 'red' | 'orange' | 'blue' | 'slate' | 'grey' | 'violet';
  word: string;
};

const statuses = {
  failing: { glyph: 'failed', tone: 'red', word: 'Failing' },
  late: { glyph: 'crons', tone: 'orange', word: 'Late' },
  success: { glyph: 'success', tone: 'teal', word: 'Success' },
  active: { glyph: 'success', tone: 'teal', word: 'Active' },
  recovery: { glyph: 'success', tone: 'teal', word: 'Recovery' },
  failed: { glyph: 'failed', tone: 'red', word: 'Failed' },
  failure: { glyph: 'failed', tone: 'red', word: 'Failure' },
  dead_lettered: { glyph: 'failed', tone: 'red', word: 'Dead-lettered' },
  usage: { glyph: 'failures', tone: 'slate', word: 'Usage' },
  retrying: { glyph: 'retrying', tone: 'orange', word: 'Retrying' },
  retried: { glyph: 'retrying', tone: 'orange', word: 'Retried' },
  resent: { glyph: 'retrying', tone: 'grey', word: 'Resent' },
  warning: { glyph: 'failures', tone: 'orange', word: 'Warning' },
  processing: { glyph: 'processing', tone: 'blue', word: 'Processing' },
  running: { glyph: 'processing', tone: 'blue', word: 'Running' },
  pending: { glyph: 'pending', tone: 'slate', word: 'Pending' },
  idle: { glyph: 'pending', tone: 'slate', word: 'Idle' },
  paused: { glyph: 'paused', tone: 'grey', word: 'Paused' },
  muted: { glyph: 'muted', tone: 'violet', word: 'Muted' },
} satisfies Record<string, Look>;

/** Glyph, word and colour: never colour alone. */
export function Status({ name, word }: { name: StatusName; word?: string }) {
  const look: Look = statuses[name];
  return (
    <span
      className={classes.status}
      data-tone={look.tone}
      data-moving={look.glyph === 'processing' || undefined}
    >
      <Glyph name={look.glyph} size={12} />
      {word ?? look.word}
    </span>
  );
}

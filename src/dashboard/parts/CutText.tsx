import { CopyButton } from './CopyButton.tsx';
import classes from './CutText.module.css';

/**
 * A long URL or id on one line, cut in the middle: the end tells more than what stands before it. The
 * cut is made by the style sheet, so it follows the width of the column; the whole is on hover, is what
 * gets selected and copied, and is what assistive technology reads.
 */
export function CutText({ text, tail = 14, copy }: { text: string; tail?: number; copy?: string }) {
  const characters = Array.from(text);
  const cutAt = characters.length - Math.min(tail, Math.floor(characters.length / 2));
  return (
    <span className={classes.line} title={text}>
      <span className={classes.head}>{characters.slice(0, cutAt).join('')}</span>
      <span className={classes.tail}>{characters.slice(cutAt).join('')}</span>
      {copy ? <CopyButton text={text} label={copy} /> : null}
    </span>
  );
}

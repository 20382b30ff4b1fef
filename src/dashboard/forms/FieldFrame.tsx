import type { ReactNode } from 'react';
import { wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

interface FieldFrameProps {
  /** The API's name of the field. The id of the error's text is made from it. */
  name: string;
  label: string;
  /** The id of the one control that the label names. */
  controlId: string;
  /** The label names a group of controls, which has the id. */
  isGroup?: boolean;
  description?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

type Words = Pick<FieldFrameProps, 'name' | 'description' | 'error'>;

/** The frame of a field: its label, description, control and error. */
export function FieldFrame({
  name,
  label,
  controlId,
  isGroup = false,
  description,
  error,
  children,
}: FieldFrameProps) {
  const labelId = `${controlId}-label`;
  const describedBy = idsOfWords(controlId, { name, description, error });
  const group = { id: controlId, role: 'group', 'aria-labelledby': labelId, ...describedBy };
  return (
    <div className={classes.frame} data-field {...(isGroup ? group : {})}>
      {isGroup ? (
        <div className={classes.label} id={labelId}>
          {label}
        </div>
      ) : (
        <label className={classes.label} htmlFor={controlId}>
          {label}
        </label>
      )}
      {hasWords(description) ? (
        <p className={classes.description} id={descriptionId(controlId)}>
          {description}
        </p>
      ) : null}
      {children}
      {error ? (
        <p className={classes.error} id={wrongId(name)}>
          {error}
        </p>
      ) : null}
    </div>
  );
}

/**
 * The ARIA attributes of a control: whether it is invalid, and which texts describe it. @param describedBy  ids of
 * further texts
 */
export function describeControl(controlId: string, words: Words, describedBy?: string) {
  return {
    id: controlId,
    ...(words.error ? { 'aria-invalid': true } : {}),
    ...idsOfWords(controlId, words, describedBy),
  };
}

/** The ARIA attributes of one control of several that share an error: none unless it is the wrong one. */
export function describeWrong(name: string, isWrong: boolean) {
  return isWrong ? { 'aria-invalid': true, 'aria-describedby': wrongId(name) } : {};
}

function idsOfWords(controlId: string, { name, description, error }: Words, describedBy?: string) {
  const ids = [
    ...(describedBy === undefined ? [] : [describedBy]),
    ...(error ? [wrongId(name)] : []),
    ...(hasWords(description) ? [descriptionId(controlId)] : []),
  ];
  return ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {};
}

function hasWords(description: ReactNode): boolean {
  return description !== undefined && description !== null && description !== '';
}

const descriptionId = (controlId: string) => `${controlId}-description`;

import type { ReactNode } from 'react';
import { wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

interface FieldFrameProps {
  /** The API's name of the field: what is wrong with it is told under an id made of that. */
  name: string;
  label: string;
  /** The id of the one control that the label names; without it the label names a group. */
  controlId?: string;
  description?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

/** A label, what the field is for, the field, and what was wrong with it. */
export function FieldFrame({
  name,
  label,
  controlId,
  description,
  error,
  children,
}: FieldFrameProps) {
  const described = hasWords(description);
  return (
    <div className={classes.frame} data-field>
      {controlId === undefined ? (
        <div className={classes.label}>{label}</div>
      ) : (
        <label className={classes.label} htmlFor={controlId}>
          {label}
        </label>
      )}
      {described ? (
        <p
          className={classes.description}
          {...(controlId === undefined ? {} : { id: descriptionId(controlId) })}
        >
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

/** What a control says of itself to those who hear the page: that it is wrong, and which words belong to it. @param describedBy  further words, by id */
export function describeControl(
  controlId: string,
  { name, description, error }: Pick<FieldFrameProps, 'name' | 'description' | 'error'>,
  describedBy?: string,
) {
  const words = [
    ...(describedBy === undefined ? [] : [describedBy]),
    ...(error ? [wrongId(name)] : []),
    ...(hasWords(description) ? [descriptionId(controlId)] : []),
  ];
  return {
    id: controlId,
    ...(error ? { 'aria-invalid': true } : {}),
    ...(words.length > 0 ? { 'aria-describedby': words.join(' ') } : {}),
  };
}

function hasWords(description: ReactNode): boolean {
  return description !== undefined && description !== null && description !== '';
}

const descriptionId = (controlId: string) => `${controlId}-description`;

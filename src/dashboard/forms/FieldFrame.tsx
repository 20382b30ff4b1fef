import type { ReactNode } from 'react';
import { wrongId } from './wrong-fields.ts';
import classes from './Field.module.css';

interface FieldFrameProps {
  /** The API's name of the field. The id of the error's text is made from it. */
  name: string;
  label: string;
  /** The id of the one control that the label names; without it the label names a group. */
  controlId?: string;
  description?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

/** The frame of a field: its label, description, control and error. */
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

/**
 * The ARIA attributes of a control: whether it is invalid, and which texts describe it. @param describedBy  ids of
 * further texts
 */
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

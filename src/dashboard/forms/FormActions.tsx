import { Notice } from '../parts/Notice.tsx';
import { ButtonLink, Submit } from '../parts/Button.tsx';
import classes from './Form.module.css';
import { labelOf } from './Field.tsx';
import { useShown } from './Form.tsx';
import { goToField, inputOf, wrongId } from './wrong-fields.ts';

/** Enter in a field presses a form's first button. */
export function EnterSaves() {
  return (
    <button
      type="submit"
      name="intent"
      value="save"
      className="sr-only"
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}

type FormActionsProps = { word: string; cancelTo: string; canTest?: boolean };

export function FormActions({ word, cancelTo, canTest = true }: FormActionsProps) {
  const { errors } = useShown();
  const fields = Object.keys(errors).filter((field) => (errors[field]?.length ?? 0) > 0);
  const wrong = [...new Set(fields.map(inputOf))];
  const count = wrong.length === 1 ? 'one field needs' : `${wrong.length} fields need`;
  return (
    <>
      {/* Wrong fields may be far above. */}
      {wrong.length === 0 ? null : (
        <Notice kind="failed" title={`Not done: ${count} a change.`}>
          <ul className="row">
            {wrong.map((field) => (
              <li key={field}>
                <a
                  href={`#${wrongId(field)}`}
                  onClick={(event) => {
                    event.preventDefault();
                    goToField(document.getElementById(wrongId(field)));
                  }}
                >
                  {labelOf(field)}
                </a>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className={classes.actions}>
        <Submit intent="save" variant="filled">
          {word}
        </Submit>
        {canTest ? <Submit intent="test">Test run</Submit> : null}
        <ButtonLink to={cancelTo} variant="quiet">
          Cancel
        </ButtonLink>
      </div>
    </>
  );
}

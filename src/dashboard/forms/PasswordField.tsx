import { useShell } from '../page/shell.ts';
import { type ComponentProps, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { ProviderLink } from '../account/ProviderLink.tsx';
import type { FieldErrors } from '../services.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { describeControl, FieldFrame } from './FieldFrame.tsx';
import type { FieldProps } from './Field.tsx';
import classes from './Field.module.css';

/** A password field. Only its button that shows the password needs a script. */
export function PasswordField({
  name,
  label,
  description,
  errors,
  ...rest
}: FieldProps & Omit<ComponentProps<'input'>, keyof FieldProps>) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const words = { name, description, error: errors?.[name]?.join(' ') };
  return (
    <FieldFrame {...words} label={label} controlId={id}>
      <div className={classes.password}>
        <input
          {...rest}
          {...describeControl(id, words)}
          name={name}
          type={isShown ? 'text' : 'password'}
          className={classes.input}
        />
        <button
          type="button"
          className={`${classes.eye} needs-script`}
          aria-label={isShown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!isShown)}
        >
          <Glyph name={isShown ? 'eye-off' : 'eye'} />
        </button>
      </div>
    </FieldFrame>
  );
}

/** In place of the password of somebody who has none: whether the provider has just been asked who they are. */
function Confirmed({
  provider,
  isProved,
  asksAnew,
  next,
  error,
}: {
  provider: string;
  isProved: boolean;
  /** False for a proxy in front, which vouches for each page. */
  asksAnew: boolean;
  next: string;
  error: string | undefined;
}) {
  if (!asksAnew) {
    const word = isProved ? 'says with each page that it is you' : 'has to say that it is you';
    return <p className="muted">{error ?? `No password: ${provider} ${word}.`}</p>;
  }
  if (isProved) return <p className="muted">{`Confirmed with ${provider} a moment ago.`}</p>;
  return (
    <div>
      <p>{error ?? `Confirm first that it is you. ${provider} asks you, and leads back here.`}</p>
      <ProviderLink name={provider} next={next} word={`Confirm with ${provider}`} isAgain />
    </div>
  );
}

/**
 * The password that somebody has now, asked for where a session alone is not enough; a sign-in at the provider for who
 * has none.
 */
export function CurrentPasswordField({
  name = 'password',
  label = 'Password',
  errors,
}: {
  name?: string;
  label?: string;
  errors?: FieldErrors | undefined;
}) {
  const { pathname } = useLocation();
  const shell = useShell();
  const confirmation = shell?.confirmation;
  if (confirmation) {
    return <Confirmed {...confirmation} next={pathname} error={errors?.[name]?.join(' ')} />;
  }
  return (
    <PasswordField
      name={name}
      label={label}
      required
      autoComplete="current-password"
      errors={errors}
    />
  );
}

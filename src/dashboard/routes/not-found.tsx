import { notFound } from '../context.ts';

/** Every address that is no page of ours. */
export function loader() {
  notFound();
}

export function action() {
  notFound();
}

export default function NotFound() {
  return null;
}

import { notFound } from '../context.ts';

/** Matches every address that is not one of our pages. */
export function loader() {
  notFound();
}

export function action() {
  notFound();
}

export default function NotFound() {
  return null;
}

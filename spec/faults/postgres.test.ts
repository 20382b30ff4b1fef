import { tellCells } from './tell.ts';

tellCells('Postgres');
tellCells('Postgres on a small disk');

import { tellCells } from './tell.ts';

tellCells('SQLite');
tellCells('SQLite on a small disk');

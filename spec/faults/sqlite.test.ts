import { declareCells } from './declare.ts';

declareCells('SQLite');
declareCells('SQLite on a small disk');

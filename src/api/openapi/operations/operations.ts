/** Every route of the API as its caller sees it, in the order of the contract. */
import { GENERATION_OPERATIONS } from './generation-operations.js';
import type { Operation } from '../operation.js';
import { PROJECTION_OPERATIONS } from './projection-operations.js';
import { OVERVIEW_OPERATIONS } from './overview-operations.js';
import { READ_TODOS_OPERATIONS } from './read-todos-operations.js';
import { SERVICE_OPERATIONS } from './service-operations.js';
import { SESSION_OPERATIONS } from './session-operations.js';
import { TOOL_OPERATIONS } from './tool-operations.js';
import { TURN_OPERATIONS } from './turn-operations.js';
import { WRITE_TODOS } from './write-todos-operation.js';

export const OPERATIONS: readonly Operation[] = [
  ...TURN_OPERATIONS,
  WRITE_TODOS,
  ...SESSION_OPERATIONS,
  ...READ_TODOS_OPERATIONS,
  ...OVERVIEW_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...PROJECTION_OPERATIONS,
  ...GENERATION_OPERATIONS,
  ...SERVICE_OPERATIONS,
];

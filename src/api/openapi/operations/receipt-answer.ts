/** The receipt, as every command that has a body answers it. */
import { receiptSchema } from '../../request/receipt.schemas.js';
import type { Answer } from '../operation.js';
import { COMMAND_ID, NO_STORE, POSITION } from '../response-headers.js';

export function receiptAnswer(status: number, description: string): Answer {
  return {
    status,
    description,
    headers: [NO_STORE, COMMAND_ID, POSITION],
    content: { mediaType: 'application/json', schema: receiptSchema },
  };
}

/** Numbers of 64 bits as JSON carries them: strings, so that no reader rounds them. */
import { z } from 'zod';

/** How a caller is told what a position is. */
export const POSITION_RULE = 'a position as a receipt gives it';

/** A session's revision. */
export const revisionSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,18})$/)
  .meta({
    id: 'Revision',
    description:
      "A revision of the session: the number of its last event. A string, because it may exceed a JSON number's 53 bits. Compare as integers.",
  });

/** A position in the whole log. */
export const positionSchema = z
  .string({ error: POSITION_RULE })
  .regex(/^\d{1,20}(-\d{1,20})?$/, { error: POSITION_RULE })
  .meta({
    id: 'Position',
    description: 'A position in the log. Opaque: hand it back as `after`, and do not compute it.',
  });

/** A moment, as every answer writes it. */
export const instantSchema = z.iso.datetime({ precision: 3 });

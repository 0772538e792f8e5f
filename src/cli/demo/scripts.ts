/** The demo's sessions: agents at work in different fields, each of which goes differently. */
import { end, plan, slip, start, type Script } from './script.js';

/** A plan that grows while it is worked on, and is done in the end; a fork tries another way. */
const checkoutBug: Script = {
  name: 'checkout-bug',
  ends: 'finished',
  steps: [
    start('fix'),
    plan('first plan', '> Reproduce the rounding error', '- Fix the tax calculation'),
    plan(
      'the list grows',
      'x Reproduce the rounding error',
      '> Find where cents are lost',
      '- Fix the tax calculation',
      '- Add a regression test',
    ),
    {
      does: 'fork',
      into: {
        name: 'checkout-bug-decimal',
        ends: 'finished',
        steps: [
          start('try-decimal'),
          plan('another way', '> Try a decimal library', '- Measure the checkout'),
          plan('it works', 'x Try a decimal library', '> Measure the checkout'),
          plan('measured', 'x Try a decimal library', 'x Measure the checkout'),
          end('completed'),
        ],
      },
    },
    plan(
      'test first: reordered',
      'x Reproduce the rounding error',
      'x Find where cents are lost',
      '> Add a regression test',
      '- Fix the tax calculation',
    ),
    plan(
      'the fix',
      'x Reproduce the rounding error',
      'x Find where cents are lost',
      'x Add a regression test',
      '> Fix the tax calculation',
    ),
    plan(
      'all done',
      'x Reproduce the rounding error',
      'x Find where cents are lost',
      'x Add a regression test',
      'x Fix the tax calculation',
    ),
    end('completed'),
  ],
};

/** A run that fails in the middle. */
const migration: Script = {
  name: 'data-migration',
  ends: 'failed',
  steps: [
    start('migrate'),
    plan(
      'first plan',
      '> Take a snapshot of the orders table',
      '- Add the currency column',
      '- Backfill 2.4 million rows',
      '- Switch readers over',
    ),
    plan(
      'the column is there',
      'x Take a snapshot of the orders table',
      'x Add the currency column',
      '> Backfill 2.4 million rows',
      '- Switch readers over',
    ),
    plan(
      'in batches instead',
      'x Take a snapshot of the orders table',
      'x Add the currency column',
      '> Backfill 2.4 million rows in batches of 5,000',
      '- Switch readers over',
      '- Drop the snapshot',
    ),
    end('failed'),
  ],
};

/** A person stops the run. */
const travel: Script = {
  name: 'conference-trip',
  ends: 'interrupted',
  steps: [
    start('book'),
    plan(
      'first plan',
      '> Compare trains to Lyon',
      '- Book a room near the venue',
      '- Reserve a table for six',
    ),
    plan(
      'renamed and dropped',
      'x Compare trains to Lyon',
      '> Book two rooms near the venue',
      '- Put it all into the calendar',
    ),
    end('aborted'),
  ],
};

/** The model sends a wrong call, reads the answer, and corrects itself. The work goes on. */
const review: Script = {
  name: 'security-review',
  ends: 'running',
  steps: [
    start('review'),
    slip('a status that is none', {
      todos: [
        { content: 'Read the login flow', status: 'doing' },
        { content: 'Check session cookies', status: 'todo' },
      ],
    }),
    plan('corrected', '> Read the login flow', '- Check session cookies'),
    slip('an item twice', {
      todos: [
        { content: 'Read the login flow', status: 'completed' },
        { content: 'Check session cookies', status: 'in_progress' },
        { content: 'Check session cookies', status: 'pending' },
      ],
    }),
    plan(
      'corrected, and longer',
      'x Read the login flow',
      '> Check session cookies',
      '- Look for secrets in the logs',
      '- Write the report',
    ),
    plan(
      'one finding: it comes first',
      'x Read the login flow',
      '> Report the cookie without SameSite',
      '- Check session cookies',
      '- Look for secrets in the logs',
      '- Write the report',
    ),
  ],
};

/** Two turns: the second one clears what the first one left, and needs no list. */
const news: Script = {
  name: 'release-notes',
  ends: 'idle',
  steps: [
    start('collect'),
    plan('first plan', '> Collect merged changes', '- Group them by area', '- Write the notes'),
    plan('grouped', 'x Collect merged changes', 'x Group them by area', '> Write the notes'),
    plan('written', 'x Collect merged changes', 'x Group them by area', 'x Write the notes'),
    end('completed'),
    start('answer-a-question'),
    end('completed'),
  ],
};

/** A session that is deleted, with all that it held. */
const scratch: Script = {
  name: 'scratch',
  ends: 'deleted',
  steps: [
    start('try'),
    plan('a try', '> See whether the API is up', '- Forget about it'),
    plan('an empty list is a write, too'),
    end('completed'),
    { does: 'delete' },
  ],
};

export const SCRIPTS: readonly Script[] = [checkoutBug, migration, travel, review, news, scratch];

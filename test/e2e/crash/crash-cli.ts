/** `npm run crash -- --rounds N` */
import { parseArgs } from 'node:util';
import { crashRounds } from './crash-rounds.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const rounds = Number(values.rounds);

const { faults, sessions, acknowledged } = await crashRounds(rounds, (round, recovery) => {
  if (round % 10 === 0 || recovery.faults.length > 0) {
    console.log(
      `round ${round}: ${recovery.acknowledged} acknowledged, ${recovery.faults.length} faults`,
    );
  }
});
for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(
  `${rounds} kills, ${sessions} sessions, ${acknowledged} acknowledged, ${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;

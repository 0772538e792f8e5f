/** Plays a script in a session of its own, one line of output a step. */
import { countTodos, type TodoCounts } from '../../events/todo.js';
import { AgentClient } from './agent-client.js';
import type { Script, Step } from './script.js';

export interface Stage {
  readonly url: string;
  /** In front of each session's id: a deleted id can never be used again. */
  readonly prefix: string;
  readonly print: (line: string) => void;
  /** Waits until the next step is due; returns at once when the demo is ended. */
  readonly pause: () => Promise<void>;
  /** Ends the demo: turns that are open are closed as aborted. */
  readonly signal: AbortSignal;
}

const EMPTY = countTodos([]);
const NAME_WIDTH = 22;
const WHAT_WIDTH = 10;

export async function playScript(script: Script, stage: Stage): Promise<void> {
  const client = new AgentClient(stage.url, stage.prefix + script.name);
  await new Player(script, stage, client).play();
}

class Player {
  private openTurn: string | undefined;
  private counts: TodoCounts = EMPTY;
  private readonly forks: Promise<void>[] = [];

  constructor(
    private readonly script: Script,
    private readonly stage: Stage,
    private readonly client: AgentClient,
  ) {}

  async play(): Promise<void> {
    try {
      for (const step of this.script.steps) {
        await this.stage.pause();
        if (this.stage.signal.aborted) break;
        await this.take(step);
      }
      if (this.stage.signal.aborted && this.openTurn !== undefined) {
        await this.end(this.openTurn, 'aborted');
      }
    } finally {
      await Promise.all(this.forks);
    }
  }

  private async take(step: Step): Promise<void> {
    switch (step.does) {
      case 'start': {
        await this.client.startTurn(step.turnId);
        this.openTurn = step.turnId;
        const clears = this.counts.total > 0;
        this.counts = EMPTY;
        this.say('starts', clears ? 'the list clears' : '');
        break;
      }
      case 'plan': {
        const { todos, note } = step;
        const { isError, content } = await this.client.callTool(this.turn(), { todos });
        if (isError) throw new Error(`${this.script.name}: ${content[0].text}`);
        this.counts = countTodos(todos);
        this.say('writes', note);
        break;
      }
      case 'slip': {
        const { isError, content } = await this.client.callTool(this.turn(), step.arguments);
        if (!isError) throw new Error(`${this.script.name}: a wrong call was accepted`);
        const fault = content[0].text.split('\n').find((line) => line.startsWith('- '));
        this.say('is refused', `${step.note}: ${fault?.slice(2) ?? content[0].text}`);
        break;
      }
      case 'end':
        await this.end(this.turn(), step.outcome);
        break;
      case 'fork': {
        const { into } = step;
        const child = await this.client.fork(this.stage.prefix + into.name);
        this.say('forks', into.name);
        this.forks.push(new Player(into, this.stage, child).play());
        break;
      }
      case 'delete':
        await this.client.delete();
        this.counts = EMPTY;
        this.say('is deleted', '');
    }
  }

  private async end(turnId: string, outcome: 'completed' | 'failed' | 'aborted'): Promise<void> {
    await this.client.endTurn(turnId, outcome);
    this.openTurn = undefined;
    this.say('ends', outcome);
  }

  private turn(): string {
    if (this.openTurn === undefined) throw new TypeError(`no turn is open in ${this.script.name}`);
    return this.openTurn;
  }

  private say(what: string, note: string): void {
    const { pending, inProgress, completed } = this.counts;
    const counts = `${pending} pending, ${inProgress} in progress, ${completed} completed`;
    const line = `${this.script.name.padEnd(NAME_WIDTH)}${what.padEnd(WHAT_WIDTH)} ${counts}  ${note}`;
    this.stage.print(line.trimEnd());
  }
}

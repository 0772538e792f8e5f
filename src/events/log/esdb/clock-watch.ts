/**
 * Remembers that this machine's clock is behind the server's. The shared append stream sends
 * an absolute deadline, so then every append on it fails at once; the classic path works. It
 * is tried again from time to time, since clocks get mended.
 */
const RETRY_MS = 60_000;

export class ClockWatch {
  readonly #onBehind: () => void;
  readonly #now: () => number;
  #until = -Infinity;

  /** @param onBehind told each time the classic path is turned to */
  constructor(onBehind: () => void, now: () => number = () => performance.now()) {
    this.#onBehind = onBehind;
    this.#now = now;
  }

  get isBehind(): boolean {
    return this.#now() < this.#until;
  }

  behind(): void {
    if (!this.isBehind) this.#onBehind();
    this.#until = this.#now() + RETRY_MS;
  }
}

/** What commits pass one by one, so that a repair can go between two of them. */
export class CommitGate {
  /** While it is set, no commit begins. */
  #held: Promise<void> | undefined;
  #passing: Promise<unknown> | undefined;

  /** Carries out a commit when nobody holds the gate. One at a time: the runner's. */
  async pass<T>(commit: () => Promise<T>): Promise<T> {
    while (this.#held) await this.#held;
    const passing = commit();
    this.#passing = passing;
    try {
      return await passing;
    } finally {
      this.#passing = undefined;
    }
  }

  /**
   * Lets the commit in hand finish, then lets none begin.
   *
   * @returns lets commits go on; may be called again
   */
  async hold(): Promise<() => void> {
    while (this.#held) await this.#held;
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    this.#held = held;
    await this.#passing?.catch(() => undefined);
    return () => {
      if (this.#held === held) this.#held = undefined;
      open();
    };
  }
}

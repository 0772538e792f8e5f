/**
 * The bare programs' store: group commit in a writer thread, read models by key. It stores the
 * event that Planlog stores, in a table of the same columns, in WAL with synchronous=FULL.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

const MAX_BATCH = 1_024;

export async function openStore(directory) {
  mkdirSync(directory, { recursive: true });
  const store = new Store(directory);
  await store.ready;
  return store;
}

class Store {
  #worker;
  #waiting = [];
  #flying = [];
  #flushSoon = false;
  #views;
  #select;

  constructor(directory) {
    this.#worker = new Worker(new URL('./store-worker.mjs', import.meta.url), {
      workerData: join(directory, 'bare.db'),
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    }).then(() => {
      this.#worker.on('message', (reply) => this.#answered(reply));
    });
    this.#views = new DatabaseSync(join(directory, 'views.db'));
    this.#views.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS views ' +
        '(key TEXT PRIMARY KEY, revision TEXT NOT NULL, json TEXT NOT NULL)',
    );
    this.#select = this.#views.prepare('SELECT revision, json FROM views WHERE key = ?');
  }

  /** Resolves when the list is on disk, with its revision and position. */
  write(sessionId, list) {
    const data = JSON.stringify(list);
    const metadata = JSON.stringify({
      $correlationId: `default.${sessionId}`,
      $causationId: randomUUID(),
      schemaVersion: 1,
      actor: { kind: 'agent', subject: 'local' },
    });
    return new Promise((resolve, reject) => {
      const stream = `agentSession-default.${sessionId}`;
      this.#waiting.push({ stream, id: randomUUID(), data, metadata, resolve, reject });
      if (this.#flushSoon || this.#flying.length > 0) return;
      this.#flushSoon = true;
      setImmediate(() => this.#flush());
    });
  }

  /** The stored view of a session; undefined where there is none. */
  view(sessionId) {
    return this.#select.get(sessionId);
  }

  close() {
    this.#views.close();
    return this.#worker.terminate();
  }

  #flush() {
    this.#flushSoon = false;
    if (this.#waiting.length === 0) return;
    this.#flying = this.#waiting.splice(0, MAX_BATCH);
    const batch = [];
    for (const { stream, id, data, metadata } of this.#flying) {
      batch.push(stream, id, data, metadata);
    }
    this.#worker.postMessage(batch);
  }

  #answered({ error, first, revisions }) {
    const batch = this.#flying;
    this.#flying = [];
    batch.forEach(({ resolve, reject }, index) => {
      if (error !== undefined) reject(new Error(error));
      else resolve({ revision: String(revisions[index]), position: String(first + index) });
    });
    this.#flush();
  }
}

/** The page that shows the document: everything it needs comes from the server, and nothing else does. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

/** As it stands: `fetch` would tidy the path up. */
function statusOf(path: string): Promise<number> {
  const { hostname, port } = new URL(server.planlog.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

it('runs nothing but its own scripts', async () => {
  const page = await fetch(`${server.planlog.url}/docs`);
  const html = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(html).not.toMatch(/<script>|<style|style=|onload=|https?:/);
});

it('finds all that it refers to beside it', async () => {
  const html = await (await fetch(`${server.planlog.url}/docs`)).text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
  expect(files).toHaveLength(5);
  for (const file of files) {
    const answer = await fetch(new URL(file ?? '', `${server.planlog.url}/docs`));
    expect([file, answer.status]).toEqual([file, 200]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const type = /\.(\w+)$/.exec(file ?? '')?.[1] ?? '';
    expect(answer.headers.get('content-type')).toContain(
      { js: 'text/javascript', css: 'text/css', png: 'image/png' }[type],
    );
  }
});

it('serves the files as they were distributed', async () => {
  const answer = await fetch(`${server.planlog.url}/docs/swagger-ui-bundle.js`);
  const file = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js');
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(digest(new Uint8Array(await answer.arrayBuffer()))).toBe(digest(await readFile(file)));
});

it.each(['/openapi.json', '/docs', '/docs/swagger-ui.css'])(
  'does not send %s again to who has it',
  async (path) => {
    const first = await server.call('HEAD', path);
    const tag = first.headers.get('etag') ?? '';
    expect(first.status).toBe(200);
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await server.call('GET', path, undefined, { 'if-none-match': header });
      expect([header, again.status, again.headers.get('etag')]).toEqual([header, 304, tag]);
    }
    const other = await server.call('HEAD', path, undefined, { 'if-none-match': '"other"' });
    expect(other.status).toBe(200);
  },
);

it.each([
  '/docs/package.json',
  '/docs/index.html',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/docs/%2e%2e/%2e%2e/package.json',
  '/docs/..%5cpackage.json',
  '/docs/swagger-ui.css%00.png',
  '/docs/constructor',
  '/docs/__proto__',
  '/docs/',
])('has no file %s', async (path) => {
  expect(await statusOf(path)).toBe(404);
});

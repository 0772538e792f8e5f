/** The page `/docs` and the files it needs: a closed set, so that no path can lead elsewhere. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

interface Asset {
  readonly mediaType: string;
  readonly read: () => Promise<string | Buffer>;
}

const START = `SwaggerUIBundle({
  // Beside the page, wherever the server is mounted.
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // It would show the document to a service of others.
  validatorUrl: null,
});
`;

const STYLE = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 24px 0; }
`;

const requireHere = createRequire(import.meta.url);

/** By file name. */
export const DOCS_ASSETS: Readonly<Record<string, Asset>> = {
  'docs.css': text('text/css', STYLE),
  'docs.js': text('text/javascript', START),
  'swagger-ui.css': distributed('text/css; charset=utf-8', 'swagger-ui.css'),
  'swagger-ui-bundle.js': distributed('text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
  'favicon.png': distributed('image/png', 'favicon-32x32.png'),
};

export const DOCS_PAGE = text(
  'text/html',
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Planlog API</title>
    <link rel="icon" type="image/png" href="docs/favicon.png" />
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="stylesheet" href="docs/docs.css" />
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/docs.js" defer></script>
  </head>
  <body>
    <div id="docs"></div>
    <noscript>This page needs scripts. The document itself is at /openapi.json.</noscript>
  </body>
</html>
`,
);

/** Nothing but its own files; the UI's style sheet holds icons as data. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function text(mediaType: string, content: string): Asset {
  return { mediaType: `${mediaType}; charset=utf-8`, read: () => Promise.resolve(content) };
}

function distributed(mediaType: string, file: string): Asset {
  return { mediaType, read: () => readFile(requireHere.resolve(`swagger-ui-dist/${file}`)) };
}

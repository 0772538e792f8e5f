/** The API's own document, and the page that shows it. */
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { OpenToAll } from '../request/route-access.js';
import { DOCS_ASSETS, DOCS_PAGE, DOCS_POLICY } from './docs-assets.js';
import { packageVersion } from './package-version.js';
import { sendStatic, staticContent, type StaticContent } from './static-answer.js';

@Controller()
@UseFilters(ProblemFilter)
export class OpenApiController {
  /** Made when they are first asked for: the start does not wait for them. */
  private readonly made = new Map<string, Promise<StaticContent>>();

  /** The document. */
  @Get('openapi.json')
  @OpenToAll()
  async document(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const content = await this.once('openapi.json', async () => {
      // Loaded only now, too: the table and its schemas are not needed to serve.
      const [{ buildDocument }, { OPERATIONS }] = await Promise.all([
        import('./build-document.js'),
        import('./operations/operations.js'),
      ]);
      const document = buildDocument(OPERATIONS, await packageVersion());
      return staticContent('application/json; charset=utf-8', JSON.stringify(document));
    });
    sendStatic(request, reply, content);
  }

  /** The page. */
  @Get('docs')
  @OpenToAll()
  async docs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { mediaType, read } = DOCS_PAGE;
    const page = await this.once('docs', async () => staticContent(mediaType, await read()));
    void reply
      .header('Content-Security-Policy', DOCS_POLICY)
      .header('Referrer-Policy', 'no-referrer');
    sendStatic(request, reply, page);
  }

  /** What the page needs. */
  @Get('docs/:file')
  @OpenToAll()
  async asset(
    @Param('file') file: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asset = Object.hasOwn(DOCS_ASSETS, file) ? DOCS_ASSETS[file] : undefined;
    if (asset === undefined) throw new Problem('not_found', 'there is no such file');
    const { mediaType, read } = asset;
    const key = `docs/${file}`;
    const content = await this.once(key, async () => staticContent(mediaType, await read()));
    sendStatic(request, reply, content);
  }

  private once(key: string, make: () => Promise<StaticContent>): Promise<StaticContent> {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.made.set(key, made);
    // A file that could not be read is tried again.
    made.catch(() => this.made.delete(key));
    return made;
  }
}

/** The tool `todo_write`: how a model is told of it, and its calls on raw arguments. */
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TODO_POLICY, type TodoPolicy } from '../../commands/policy.js';
import { COMMAND_ID_PATTERN } from '../../commands/session/validate-command.js';
import { TodoWriteTool } from '../../commands/todo-write/tool/call-todo-write.js';
import { toolDefinition } from '../../commands/todo-write/tool/tool-definition.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { COMMAND_ID_HEADER } from '../request/command-id.js';
import { parseBody, parseQuery } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { NeedsScope } from '../request/route-access.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import { readSessionTarget } from '../request/session-command.js';
import { toolCallBody, toolQuery } from './tools.schemas.js';

@Controller('v1')
@UseFilters(ProblemFilter)
export class ToolsController {
  constructor(
    private readonly identity: RequestIdentity,
    private readonly tool: TodoWriteTool,
    @Inject(TODO_POLICY) private readonly policy: TodoPolicy,
  ) {}

  /** The definition, in the format of the caller's model API. */
  @Get('tools/todo_write')
  // It tells of no session.
  @NeedsScope('todos:read', { boundTokens: 'allowed' })
  definition(@Query() query: unknown, @Res() reply: FastifyReply): void {
    const { format } = parseQuery(toolQuery, query);
    void reply
      .header('Content-Type', JSON_MEDIA_TYPE)
      .header('Cache-Control', 'private, no-cache')
      .send(JSON.stringify(toolDefinition(format, this.policy)));
  }

  /** One call. Its id is the command id: it is returned as every command's is. */
  @Post('sessions/:sessionId/tools/todo_write')
  @HttpCode(200)
  @NeedsScope('todos:write')
  async call(
    @Param('sessionId') sessionId: unknown,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    echoCallId(body, reply);
    const { session, ...rest } = readSessionTarget(this.identity, request, sessionId);
    const { turnId, callId, arguments: raw } = parseBody(toolCallBody, body);
    const envelope = { ...rest, commandId: callId };
    const result = await this.tool.call(session, { turnId, arguments: raw }, envelope);
    void reply
      .header('Content-Type', JSON_MEDIA_TYPE)
      .header('Cache-Control', 'no-store')
      .send(JSON.stringify(result));
  }
}

/** Errors return the id as well, wherever the body holds one. */
function echoCallId(body: unknown, reply: FastifyReply): void {
  if (typeof body !== 'object' || body === null || !('callId' in body)) return;
  const { callId } = body;
  if (typeof callId === 'string' && COMMAND_ID_PATTERN.test(callId)) {
    void reply.header(COMMAND_ID_HEADER, callId);
  }
}

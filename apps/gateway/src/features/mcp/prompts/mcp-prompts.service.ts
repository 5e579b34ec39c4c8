import { Injectable } from '@nestjs/common';
import {
  ErrorCode,
  McpError,
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt as ListedPrompt,
} from '@modelcontextprotocol/sdk/types.js';
import { getPromptRoute, listPromptsRoute, type Prompt, type ResponseOf } from '@candor/contracts';
import { McpAnswersService, type McpCallContext } from '../mcp-answers.service.js';
import { fillPrompt } from './fill-prompt.js';
import { namePrompt, promptIdOf } from './prompt-name.js';

/** A page's prompts are read one by one, for their variables. */
const PAGE = 25;

/** The library's prompts as prompts of MCP. */
@Injectable()
export class McpPromptsService {
  constructor(private readonly answers: McpAnswersService) {}

  /** One audit event for the page, as for the list of the REST API. */
  async list(cursor: string | undefined, context: McpCallContext): Promise<ListPromptsResult> {
    const query = { limit: String(PAGE), ...(cursor === undefined ? {} : { cursor }) };
    const input = { body: undefined, query, params: {} };
    const page = (await this.answers.callForResult(listPromptsRoute, input, context)) as ResponseOf<
      typeof listPromptsRoute
    >;
    const prompts = await Promise.all(page.data.map(({ id }) => this.readPart(id, context)));
    const next = page.pagination.cursor;
    return {
      prompts: prompts.filter((prompt) => prompt !== null).map(toListing),
      ...(page.pagination.hasMore && next !== null ? { nextCursor: next } : {}),
    };
  }

  /** Errors: -32002 for a prompt that there is not, -32602 for an argument that is missing or unknown. */
  async get(name: string, values: Readonly<Record<string, string>>, context: McpCallContext): Promise<GetPromptResult> {
    const id = promptIdOf(name);
    if (id === null) throw new McpError(ErrorCode.InvalidParams, 'There is no such prompt.');
    const input = { body: undefined, query: {}, params: { id } };
    const { data } = (await this.answers.callForResult(getPromptRoute, input, context)) as { data: Prompt };
    const names = data.variables.map((variable) => variable.name);
    const missing = names.filter((variable) => !Object.hasOwn(values, variable));
    const unknown = Object.keys(values).filter((value) => !names.includes(value));
    if (missing.length > 0) throw new McpError(ErrorCode.InvalidParams, `The prompt needs ${missing.join(', ')}.`);
    if (unknown.length > 0) throw new McpError(ErrorCode.InvalidParams, `The prompt takes no such argument.`);
    return {
      ...(data.description === '' ? {} : { description: data.description }),
      messages: [{ role: 'user', content: { type: 'text', text: fillPrompt(data.content, values) } }],
    };
  }

  /** null = deleted since the page was read. */
  private async readPart(id: string, context: McpCallContext): Promise<Prompt | null> {
    const input = { body: undefined, query: {}, params: { id } };
    const answer = (await this.answers.readPart(getPromptRoute, input, listPromptsRoute, context)) as {
      data: Prompt;
    } | null;
    return answer?.data ?? null;
  }
}

function toListing(prompt: Prompt): ListedPrompt {
  return {
    name: namePrompt(prompt),
    title: prompt.title,
    ...(prompt.description === '' ? {} : { description: prompt.description }),
    arguments: prompt.variables.map(({ name, description }) => ({
      name,
      required: true,
      ...(description === undefined ? {} : { description }),
    })),
  };
}

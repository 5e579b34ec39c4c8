import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { RouteContract } from '@candor/contracts';
import { parseRouteInput, type AnyRoute, type RawInput } from '@candor/runtime';
import { coerceArguments } from './coerce-arguments.js';
import { toToolSchema } from './to-tool-schema.js';

/** What the answer says beside its body; over HTTP these are headers. */
export interface AnswerNotes {
  answerProvider?: string;
}

interface ToolDefinition<Route extends RouteContract, Arguments extends z.ZodObject> {
  name: string;
  title: string;
  /** For the model that chooses: what it gives, when to use it, when not. */
  description: string;
  /** Whose handler answers; its action, rate limit and audit event are the tool's. */
  route: Route;
  arguments: Arguments;
  /** Told to the model beside the types. */
  argumentDescriptions: Record<keyof Arguments['shape'] & string, string>;
  toInput: (args: z.output<Arguments>) => Partial<RawInput>;
  /** Markdown of the response, for people and for clients without structured content. */
  render: (response: z.output<Route['response']>, notes: AnswerNotes) => string;
  /** Takes seconds: callers who ask for progress get it. */
  isLong?: boolean;
  /** The same call again does nothing more; default true. */
  isRepeatable?: boolean;
}

export interface McpTool {
  listing: Tool;
  route: AnyRoute;
  isLong: boolean;
  /** @throws AppError REQUEST.INVALID naming the argument */
  readInput: (args: unknown) => RawInput;
  render: (response: unknown, notes?: AnswerNotes) => string;
}

/** A tool on top of a route. All of them read: none changes what an organization has stored. */
export function defineTool<Route extends RouteContract, Arguments extends z.ZodObject>(
  definition: ToolDefinition<Route, Arguments>,
): McpTool {
  const { name, title, description, route, argumentDescriptions } = definition;
  const inputSchema = toToolSchema(definition.arguments, 'input');
  for (const [field, schema] of Object.entries(inputSchema.properties))
    schema['description'] = argumentDescriptions[field as keyof typeof argumentDescriptions];
  return {
    listing: {
      name,
      title,
      description,
      inputSchema,
      outputSchema: toToolSchema(route.response, 'input'),
      annotations: {
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: definition.isRepeatable ?? true,
        openWorldHint: false,
      },
    },
    route,
    isLong: definition.isLong ?? false,
    readInput: (args) => {
      const body = coerceArguments(args ?? {}, inputSchema);
      const asRoute = { ...route, params: undefined, query: undefined, body: definition.arguments } as AnyRoute;
      const parsed = parseRouteInput(asRoute, { body, query: {}, params: {} });
      return { body: undefined, query: {}, params: {}, ...definition.toInput(parsed.body as z.output<Arguments>) };
    },
    render: (response, notes = {}) => definition.render(response as z.output<Route['response']>, notes),
  };
}

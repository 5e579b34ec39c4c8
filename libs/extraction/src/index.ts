export type { NamedFile } from './detect.js';
export { renderSlackText } from './slack/render-slack-text.js';
export { groupSlackThreads, renderSlackThread } from './slack/render-slack-thread.js';
export type { SlackThread } from './slack/render-slack-thread.js';
export { compareSlackTs, isSlackContent, isSlackTombstone, parseSlackTs, readThreadTs } from './slack/slack-message.js';
export type { SlackMessage, SlackNames } from './slack/slack-message.js';

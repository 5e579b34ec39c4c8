/** Something that the person who ran the command can put right: said in one line, without a stack. */
export class BootstrapError extends Error {}

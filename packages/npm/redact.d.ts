/** A value without ids, encrypted content and credentials; its form stays. */
export function redact<T>(value: T): T;
/** `hooks` of pino. */
export const pinoHooks: { logMethod(this: unknown, parameters: unknown[], method: (...args: unknown[]) => void): void };
/** A format of winston; it stands before the one that writes. */
export function winstonFormat(): { transform(info: any): any };

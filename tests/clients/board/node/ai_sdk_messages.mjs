// What Vercel's AI SDK does with each of its providers: `responseMessages` go back as they came.
import { readFile, writeFile } from "node:fs/promises";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { Driver } from "./contract.mjs";

/// A driver says its `model` and the `options` of its provider.
export class AiSdkMessages extends Driver {
  static has = ["schema"];

  async begin() {
    this.messages = [];
  }

  request() {
    const { instructions, tools, output_schema } = this.settings;
    const named = tools.map((each) => [
      each.name,
      tool({
        description: each.description,
        inputSchema: jsonSchema(each.parameters),
        execute: async () => this.tool(each.name),
      }),
    ]);
    return {
      model: this.model(),
      instructions,
      tools: Object.fromEntries(named),
      stopWhen: stepCountIs(8),
      maxRetries: 0,
      providerOptions: this.options(),
      ...(output_schema ? { output: Output.object({ schema: jsonSchema(output_schema) }) } : {}),
    };
  }

  /// What goes before a message of the user: where the server keeps the conversation, nothing.
  history() {
    return this.messages;
  }

  async user(text) {
    const messages = [...this.history(), { role: "user", content: text }];
    let result;
    if (this.settings.stream) {
      let failed;
      result = streamText({ messages, onError: ({ error }) => (failed = error), ...this.request() });
      await result.consumeStream();
      if (failed) throw failed;
    } else {
      result = await generateText({ messages, ...this.request() });
    }
    this.messages = [...messages, ...(await result.responseMessages)];
    await this.answered(result);
    return await result.text;
  }

  async answered() {}

  async save(file) {
    await writeFile(file, JSON.stringify(this.messages));
  }

  async load(file) {
    this.messages = JSON.parse(await readFile(file, "utf-8"));
  }
}

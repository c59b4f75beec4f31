// Vercel's AI SDK with the provider that is its argument: `responseMessages` go back as they came.
import { readFile, writeFile } from "node:fs/promises";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { Driver, serve } from "./contract.mjs";

const PROVIDERS = {
  anthropic: {
    wire: "anthropic-messages",
    model: ({ base_url, api_key, model }) => createAnthropic({ baseURL: base_url, apiKey: api_key })(model),
    options: ({ effort }) => ({ anthropic: { thinking: { type: "adaptive" }, effort } }),
  },
  google: {
    wire: "gemini-generate",
    model: ({ base_url, api_key, model }) =>
      createGoogleGenerativeAI({ baseURL: `${base_url}beta`, apiKey: api_key })(model),
    options: ({ effort }) => ({ google: { thinkingConfig: { thinkingLevel: effort } } }),
  },
};
const NAME = process.argv[2];
const PROVIDER = PROVIDERS[NAME];

class AiSdk extends Driver {
  static client = `ai + @ai-sdk/${NAME}`;
  static package = `@ai-sdk/${NAME}`;
  static wire = PROVIDER.wire;
  static has = ["schema"];

  async begin() {
    this.model = PROVIDER.model(this.settings);
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
      model: this.model,
      instructions,
      tools: Object.fromEntries(named),
      stopWhen: stepCountIs(8),
      maxRetries: 0,
      providerOptions: PROVIDER.options(this.settings),
      ...(output_schema ? { output: Output.object({ schema: jsonSchema(output_schema) }) } : {}),
    };
  }

  async user(text) {
    const messages = [...this.messages, { role: "user", content: text }];
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
    return await result.text;
  }

  async save(file) {
    await writeFile(file, JSON.stringify(this.messages));
  }

  async load(file) {
    this.messages = JSON.parse(await readFile(file, "utf-8"));
  }
}

await serve(AiSdk);

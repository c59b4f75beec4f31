// Vercel's AI SDK with its OpenAI provider: `responseMessages` go back as they came.
import { readFile, writeFile } from "node:fs/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai";
import { Driver, given, serve } from "./contract.mjs";

class AiSdk extends Driver {
  static client = "ai + @ai-sdk/openai";
  static package = "@ai-sdk/openai";
  static states = ["client-replay", "server-chain", "conversation"];
  static has = ["schema"];

  async begin() {
    const { base_url, api_key, state } = this.settings;
    this.provider = createOpenAI({ baseURL: base_url, apiKey: api_key });
    this.messages = [];
    this.anchor = {};
    if (state === "conversation") {
      const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
      const created = await fetch(`${base_url}/conversations`, { method: "POST", headers, body: "{}" });
      this.anchor = { conversation: (await created.json()).id };
    }
  }

  request() {
    const { model, instructions, effort, summary, store, include, tools, output_schema } = this.settings;
    const openai = given({ reasoningEffort: effort, reasoningSummary: summary, store, include });
    const named = tools.map((each) => [
      each.name,
      tool({
        description: each.description,
        inputSchema: jsonSchema(each.parameters),
        execute: async () => this.tool(each.name),
      }),
    ]);
    return {
      model: this.provider.responses(model),
      instructions,
      tools: Object.fromEntries(named),
      stopWhen: stepCountIs(8),
      maxRetries: 0,
      providerOptions: { openai: { ...openai, ...this.anchor } },
      ...(output_schema ? { output: Output.object({ schema: jsonSchema(output_schema) }) } : {}),
    };
  }

  async user(text) {
    const message = { role: "user", content: text };
    const replays = this.settings.state === "client-replay";
    const messages = replays ? [...this.messages, message] : [message];
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
    if (this.settings.state === "server-chain") {
      this.anchor = { previousResponseId: (await result.providerMetadata).openai.responseId };
    }
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

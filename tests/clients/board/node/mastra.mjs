// Mastra's agent over the AI SDK's OpenAI provider: `response.messages` goes back as it came.
import { readFile, writeFile } from "node:fs/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { Driver, given, serve } from "./contract.mjs";

class Mastra extends Driver {
  static client = "mastra";
  static package = "@mastra/core";

  async begin() {
    const { base_url, api_key, model, instructions, tools } = this.settings;
    const named = tools.map((each) => [
      each.name,
      createTool({
        id: each.name,
        description: each.description,
        inputSchema: z.object(Object.fromEntries(Object.keys(each.parameters.properties).map((key) => [key, z.string()]))),
        execute: async () => this.tool(each.name),
      }),
    ]);
    this.agent = new Agent({
      id: "board",
      name: "board",
      instructions: instructions ?? "",
      model: createOpenAI({ baseURL: base_url, apiKey: api_key }).responses(model),
      tools: Object.fromEntries(named),
    });
    this.messages = [];
  }

  async user(text) {
    const { effort, summary, store, include, stream } = this.settings;
    const openai = given({ reasoningEffort: effort, reasoningSummary: summary, store, include });
    const options = { maxSteps: 8, modelSettings: { maxRetries: 0 }, providerOptions: { openai } };
    const messages = [...this.messages, { role: "user", content: text }];
    let result;
    if (stream) {
      result = await this.agent.stream(messages, options);
      await result.consumeStream();
      const failed = await result.error;
      if (failed) throw failed;
    } else {
      result = await this.agent.generate(messages, options);
    }
    const response = await result.response;
    this.messages = [...messages, ...response.messages];
    return await result.text;
  }

  async save(file) {
    await writeFile(file, JSON.stringify(this.messages));
  }

  async load(file) {
    this.messages = JSON.parse(await readFile(file, "utf-8"));
  }
}

await serve(Mastra);

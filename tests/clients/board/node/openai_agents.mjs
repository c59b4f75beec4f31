// The OpenAI Agents SDK for JavaScript through its runner.
import { readFile, writeFile } from "node:fs/promises";
import OpenAI from "openai";
import { Agent, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import { Driver, given, reasoning, serve } from "./contract.mjs";

setTracingDisabled(true);

class Agents extends Driver {
  static client = "@openai/agents";
  static package = "@openai/agents";
  static states = ["client-replay", "server-chain", "conversation"];
  static has = ["schema", "omit", "handoff", "log"];

  async begin() {
    const { base_url, api_key, state, instructions, handoff, reasoning_item_id_policy } = this.settings;
    this.openai = new OpenAI({ baseURL: base_url, apiKey: api_key, logLevel: this.settings.log ?? "off" });
    this.history = [];
    this.anchor = {};
    if (state === "conversation") this.anchor = { conversationId: (await this.openai.conversations.create()).id };
    this.agent = this.make("planner", instructions);
    if (handoff) this.agent.handoffs = [this.make(handoff.name, handoff.instructions)];
    this.runner = new Runner(given({ reasoningItemIdPolicy: reasoning_item_id_policy }));
  }

  make(name, instructions) {
    const { model, store, include, tools, output_schema } = this.settings;
    const modelSettings = { reasoning: reasoning(this.settings), ...given({ store }) };
    if (include) modelSettings.providerData = { include };
    const schema = { type: "json_schema", name: "answer", strict: true, schema: output_schema };
    return new Agent({
      name,
      instructions,
      model: new OpenAIResponsesModel(this.openai, model),
      modelSettings,
      tools: tools.map((each) =>
        tool({
          name: each.name,
          description: each.description,
          parameters: each.parameters,
          strict: true,
          execute: async () => this.tool(each.name),
        }),
      ),
      ...(output_schema ? { outputType: schema } : {}),
    });
  }

  async user(text) {
    const replays = this.settings.state === "client-replay";
    const input = replays ? [...this.history, { role: "user", content: text }] : text;
    const options = { stream: this.settings.stream, ...this.anchor };
    const result = await this.runner.run(this.agent, input, options);
    if (this.settings.stream) {
      for await (const _event of result) void _event;
      await result.completed;
    }
    this.agent = result.lastAgent ?? this.agent;
    this.history = result.history;
    if (this.settings.state === "server-chain") this.anchor = { previousResponseId: result.lastResponseId };
    const output = result.finalOutput;
    return typeof output === "string" ? output : JSON.stringify(output);
  }

  async save(file) {
    await writeFile(file, JSON.stringify(this.history));
  }

  async load(file) {
    this.history = JSON.parse(await readFile(file, "utf-8"));
  }
}

await serve(Agents);

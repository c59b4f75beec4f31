// openai-node by hand: `response.output` goes back as it came.
import { readFile, writeFile } from "node:fs/promises";
import OpenAI from "openai";
import { Driver, given, reasoning, serve } from "./contract.mjs";

class Plain extends Driver {
  static client = "openai-node";
  static package = "openai";
  static states = ["client-replay", "server-chain", "conversation"];
  static has = ["schema", "log"];

  async begin() {
    const { base_url, api_key, log, state } = this.settings;
    this.openai = new OpenAI({ baseURL: base_url, apiKey: api_key, logLevel: log ?? "off" });
    this.history = [];
    this.anchor = {};
    if (state === "conversation") this.anchor = { conversation: (await this.openai.conversations.create()).id };
  }

  request() {
    const { model, instructions, store, include, tools, output_schema } = this.settings;
    const request = { model, reasoning: reasoning(this.settings), ...given({ instructions, store, include }) };
    if (tools.length) request.tools = tools.map((tool) => ({ type: "function", strict: true, ...tool }));
    if (output_schema) {
      request.text = { format: { type: "json_schema", name: "answer", schema: output_schema, strict: true } };
    }
    return { ...request, ...this.anchor };
  }

  async ask(items) {
    const replays = this.settings.state === "client-replay";
    this.history.push(...items);
    const request = { input: replays ? this.history : items, ...this.request() };
    let response;
    if (this.settings.stream) response = await this.openai.responses.stream(request).finalResponse();
    else if (this.settings.output_schema) response = await this.openai.responses.parse(request);
    else response = await this.openai.responses.create(request);
    this.history.push(...response.output);
    if (this.settings.state === "server-chain") this.anchor = { previous_response_id: response.id };
    return response;
  }

  async user(text) {
    let response = await this.ask([{ role: "user", content: text }]);
    for (;;) {
      const calls = response.output.filter((item) => item.type === "function_call");
      if (!calls.length) return response.output_text;
      const output = (call) => ({ type: "function_call_output", call_id: call.call_id, output: this.tool(call.name) });
      response = await this.ask(calls.map(output));
    }
  }

  async save(file) {
    await writeFile(file, JSON.stringify(this.history));
  }

  async load(file) {
    this.history = JSON.parse(await readFile(file, "utf-8"));
  }
}

await serve(Plain);

// Vercel's AI SDK with its OpenAI provider: `responseMessages` go back as they came.
import { createOpenAI } from "@ai-sdk/openai";
import { AiSdkMessages } from "./ai_sdk_messages.mjs";
import { given, serve } from "./contract.mjs";

class AiSdk extends AiSdkMessages {
  static client = "ai + @ai-sdk/openai";
  static package = "@ai-sdk/openai";
  static states = ["client-replay", "server-chain", "conversation"];

  async begin() {
    await super.begin();
    const { base_url, api_key, state } = this.settings;
    this.provider = createOpenAI({ baseURL: base_url, apiKey: api_key });
    this.anchor = {};
    if (state === "conversation") {
      const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
      const created = await fetch(`${base_url}/conversations`, { method: "POST", headers, body: "{}" });
      this.anchor = { conversation: (await created.json()).id };
    }
  }

  model() {
    return this.provider.responses(this.settings.model);
  }

  options() {
    const { effort, summary, store, include } = this.settings;
    const openai = given({ reasoningEffort: effort, reasoningSummary: summary, store, include });
    return { openai: { ...openai, ...this.anchor } };
  }

  history() {
    return this.settings.state === "client-replay" ? super.history() : [];
  }

  async answered(result) {
    if (this.settings.state === "server-chain") {
      this.anchor = { previousResponseId: (await result.providerMetadata).openai.responseId };
    }
  }
}

await serve(AiSdk);

import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/** A graph of one step, which sends the whole conversation to the model. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => {
    const sent = messages.map(({ type, content }) => ({
      role: type === "ai" ? "assistant" : "user",
      content,
    }));
    const response = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream: true, messages: sent }),
    });
    const deltas = (await response.text()).matchAll(/^data: (\{.*)$/gm).map(([, data]) => JSON.parse(data));
    const content = [...deltas].map(({ choices }) => choices[0].delta.content ?? "").join("");
    return { messages: [{ role: "assistant", content }] };
  })
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();

// What the page asks of the program on this machine. A refusal becomes an Error with the program's sentence.

async function answered(response) {
  let content = null;
  try {
    content = await response.json();
  } catch {
    throw new Error("The review does not answer as it should; look at the window in which it was started.");
  }
  if (!response.ok) throw new Error(content.error ?? "The review refused this.");
  return content;
}

export async function ask(path, facts = {}) {
  return answered(await fetch(`api/${path}?${new URLSearchParams(facts)}`));
}

export async function send(path, facts = {}) {
  const headers = { "Content-Type": "application/json" };
  return answered(await fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(facts) }));
}

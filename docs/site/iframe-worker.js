// Search runs in a worker, and browsers start none for a page from the disk. There, a hidden frame takes its place.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.srcdoc = "<!doctype html>"
      this.frame.addEventListener("load", () => this.start(url), { once: true })
      document.documentElement.append(this.frame)
    }

    start(url) {
      const room = this.frame.contentWindow
      room.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = room.document.createElement("script")
      script.src = url
      script.onload = () => {
        const waiting = this.waiting
        this.waiting = null
        waiting.forEach((data) => this.postMessage(data))
      }
      room.document.body.append(script)
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }
  }
}

// What is wrong with the page as it is laid out, one line each; nothing but geometry, colours and counts.
(() => {
  const found = [];
  const wide = document.documentElement.clientWidth;
  const told = (text) => text.trim().replace(/\s+/g, " ").slice(0, 40);
  const shown = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.display === "none" || style.visibility === "hidden" || one.classList.contains("unseen")) return false;
    }
    return true;
  };
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || /^(STYLE|SCRIPT|TITLE|DESC)$/i.test(parent.tagName) || !shown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 0 && box.height > 0) texts.push({ box, parent, text: node.data });
    }
  }

  // nothing is cut: all text lies on the page, or in a frame that scrolls to it
  if (document.documentElement.scrollWidth > wide) found.push(`page is ${document.documentElement.scrollWidth} wide`);
  for (const { box, parent, text } of texts) {
    const frame = parent.closest(".scroll");
    const [left, right] = frame ? [frame.getBoundingClientRect().left, Infinity] : [0, wide];
    if (box.left < left - 1 || box.right > right + 1) found.push(`cut: ${told(text)}`);
  }
  for (const frame of document.querySelectorAll(".scroll")) {
    if (frame.scrollWidth > frame.clientWidth + 1) found.push(`scrolls: ${told(frame.getAttribute("aria-label"))}`);
  }

  // nothing overlaps: no two lines of text share more than the leading
  texts.sort((one, other) => one.box.top - other.box.top);
  for (let at = 0; at < texts.length; at++) {
    for (let next = at + 1; next < texts.length; next++) {
      const [one, other] = [texts[at].box, texts[next].box];
      if (other.top > one.bottom - 3) break;
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - other.top;
      const high = Math.min(one.height, other.height);
      if (across > 2 && down > high * 0.35) found.push(`overlaps: ${told(texts[at].text)} | ${told(texts[next].text)}`);
    }
  }

  // contrast by WCAG 2.2 AA: 4.5, or 3 for large text
  const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const rgb = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([red, green, blue]) =>
    0.2126 * part(red / 255) + 0.7152 * part(green / 255) + 0.0722 * part(blue / 255);
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const judged = new Set();
  for (const { parent } of texts) {
    if (judged.has(parent)) continue;
    judged.add(parent);
    const style = getComputedStyle(parent);
    const ink = rgb(parent.closest("svg") ? style.fill : style.color);
    const [dim, bright] = [light(ink), light(ground(parent))].sort((one, other) => one - other);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (bright + 0.05) / (dim + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${told(parent.textContent)}`);
  }
  const report = document.createElement("pre");
  report.id = "layout";
  report.textContent = JSON.stringify({ wide, texts: texts.length, found: [...new Set(found)] });
  window.top.document.body.replaceChildren(report);
})();
